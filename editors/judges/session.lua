-- A session of neovim with a server: nvim --headless -u NONE -c "luafile session.lua". The command is in $SERVER, and what was got goes to $GOT.
local got = {}
local uri = vim.uri_from_fname(vim.fn.getcwd() .. "/review.graph.yaml")

local function wait(what, done)
  if not vim.wait(30000, done, 10) then
    error("neovim waits in vain for " .. what)
  end
end

local function session()
  vim.cmd("edit review.graph.yaml")
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({name = "graphgen", cmd = vim.split(vim.env.SERVER, " "), root_dir = vim.fn.getcwd()})
  vim.lsp.buf_attach_client(buffer, client)
  wait("the server", function() return vim.lsp.get_client_by_id(client) ~= nil and vim.lsp.get_client_by_id(client).initialized end)

  local function ask(method, params)
    local answers, problem = vim.lsp.buf_request_sync(buffer, method, params, 30000)
    if not answers then
      error(method .. ": " .. problem)
    end
    local answer = answers[client]
    if answer.error then
      error(method .. ": " .. answer.error.message)
    end
    return answer.result
  end
  local function at(line, character)
    return {textDocument = {uri = uri}, position = {line = line, character = character}}
  end

  local line = vim.fn.search("to: critic") - 1
  local from = vim.fn.getline(line + 1):find("critic", 1, true) - 1
  vim.api.nvim_buf_set_text(buffer, line, from + 6, line, from + 6, {"z"})
  wait("a diagnostic", function() return #vim.diagnostic.get(buffer) > 0 end)
  local d = vim.diagnostic.get(buffer)[1]
  got.message, got.place, got.code = d.message, {d.lnum, d.col, d.end_col}, d.user_data.lsp.code
  vim.api.nvim_buf_set_text(buffer, line, from + 6, line, from + 7, {""})
  wait("a text without a diagnostic", function() return #vim.diagnostic.get(buffer) == 0 end)

  got.completion = {}
  for _, item in ipairs(ask("textDocument/completion", at(line, from))) do
    table.insert(got.completion, item.label)
  end
  got.hover = ask("textDocument/hover", at(line, from)).contents.value
  vim.lsp.util.jump_to_location(ask("textDocument/definition", at(line, from))[1], "utf-16")
  got.definition = vim.fn.getline(".")
  got.references = #ask("textDocument/references", {textDocument = {uri = uri}, position = {line = line, character = from}, context = {includeDeclaration = true}})

  -- Characters of two code units, before the place of an edit.
  vim.api.nvim_buf_set_lines(buffer, 1, 2, false, {"doc: 😀😀"})
  vim.api.nvim_buf_set_text(buffer, 1, 9, 1, 13, {"é"})
  vim.api.nvim_buf_set_lines(buffer, 2, 2, false, {"unknown: 1"})
  wait("a second diagnostic", function() return #vim.diagnostic.get(buffer) > 0 end)
  got.second = vim.diagnostic.get(buffer)[1].message
  vim.api.nvim_buf_set_lines(buffer, 2, 3, false, {})

  -- A line that is not formatted.
  vim.api.nvim_buf_set_lines(buffer, 2, 2, false, {"mode:    static"})
  vim.lsp.buf.formatting_sync({}, 30000)
  got.formatted = vim.fn.search("^mode: static$") > 0
  vim.lsp.stop_client(client)
  wait("the end of the server", function() return vim.lsp.client_is_stopped(client) end)
end

local ok, problem = pcall(session)
if not ok then
  got.problem = tostring(problem)
end
vim.fn.writefile({vim.fn.json_encode(got)}, vim.env.GOT)
vim.cmd("qall!")
