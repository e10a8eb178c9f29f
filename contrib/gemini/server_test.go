package gemini_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/contrib/gemini"
)

const key = "AIza-secret+key/of=tests"

// What the API takes, by its published names; others are mistakes.
type (
	wireRequest struct {
		Contents          []wireContent  `json:"contents"`
		SystemInstruction *wireContent   `json:"systemInstruction"`
		Tools             []wireTool     `json:"tools"`
		ToolConfig        *wireChoice    `json:"toolConfig"`
		SafetySettings    []wireSafety   `json:"safetySettings"`
		GenerationConfig  wireGeneration `json:"generationConfig"`
	}
	wireContent struct {
		Role  string     `json:"role"`
		Parts []wirePart `json:"parts"`
	}
	wirePart struct {
		Text             *string       `json:"text"`
		Thought          bool          `json:"thought"`
		ThoughtSignature string        `json:"thoughtSignature"`
		InlineData       *wireBlob     `json:"inlineData"`
		FileData         *wireFile     `json:"fileData"`
		FunctionCall     *wireCall     `json:"functionCall"`
		FunctionResponse *wireResponse `json:"functionResponse"`
	}
	wireBlob struct {
		MIMEType string `json:"mimeType"`
		Data     []byte `json:"data"`
	}
	wireFile struct {
		MIMEType string `json:"mimeType"`
		FileURI  string `json:"fileUri"`
	}
	wireCall struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	}
	wireResponse struct {
		ID       string            `json:"id"`
		Name     string            `json:"name"`
		Response map[string]string `json:"response"`
		Parts    []struct {
			InlineData wireBlob `json:"inlineData"`
		} `json:"parts"`
	}
	wireTool struct {
		FunctionDeclarations []wireFunction `json:"functionDeclarations"`
	}
	wireFunction struct {
		Name                 string          `json:"name"`
		Description          string          `json:"description"`
		ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
	}
	wireChoice struct {
		FunctionCallingConfig struct {
			Mode                 string   `json:"mode"`
			AllowedFunctionNames []string `json:"allowedFunctionNames"`
		} `json:"functionCallingConfig"`
	}
	wireSafety struct {
		Category  string `json:"category"`
		Threshold string `json:"threshold"`
	}
	wireGeneration struct {
		Temperature        *float64        `json:"temperature"`
		MaxOutputTokens    int             `json:"maxOutputTokens"`
		ResponseMIMEType   string          `json:"responseMimeType"`
		ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
		ThinkingConfig     *struct {
			IncludeThoughts bool   `json:"includeThoughts"`
			ThinkingBudget  *int   `json:"thinkingBudget"`
			ThinkingLevel   string `json:"thinkingLevel"`
		} `json:"thinkingConfig"`
	}
)

// A server speaks the API. It is strict: what the API refuses fails the test.
type server struct {
	t      *testing.T
	key    string // that must come; empty: none may
	answer func(w http.ResponseWriter, r *http.Request)

	mu      sync.Mutex
	model   string // of the last request
	request wireRequest
	body    string
}

// listen starts a server that wants that key, and returns its address.
func listen(t *testing.T, key string) string {
	t.Helper()
	web := httptest.NewServer(&server{t: t, key: key, answer: says(chunk("STOP", `{"text":"ok"}`))})
	t.Cleanup(web.Close)
	return web.URL
}

// serve starts a server and returns a model of that name on it.
func serve(t *testing.T, name string, answer http.HandlerFunc, options ...gemini.Option) (*server, *gemini.Model) {
	t.Helper()
	s := &server{t: t, key: key, answer: answer}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	model, err := gemini.New(name, append([]gemini.Option{gemini.Key(key), gemini.BaseURL(web.URL)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return s, model
}

var (
	address  = regexp.MustCompile(`^/v1beta/models/([A-Za-z0-9.-]+):(generateContent|streamGenerateContent)$`)
	function = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$`)
)

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := address.FindStringSubmatch(r.URL.Path)
	if at == nil || r.Method != http.MethodPost {
		s.t.Errorf("%s %s is nothing of the API", r.Method, r.URL)
		http.NotFound(w, r)
		return
	}
	if want := map[string]string{"generateContent": "", "streamGenerateContent": "alt=sse"}[at[2]]; r.URL.RawQuery != want {
		s.t.Errorf("the query of %s is %q, want %q", at[2], r.URL.RawQuery, want)
	}
	if got := r.Header.Values("X-Goog-Api-Key"); strings.Join(got, ",") != s.key {
		s.t.Errorf("the key in the header is %q", got)
	}
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		s.t.Errorf("the content type is %q", got)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	var request wireRequest
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&request); err != nil {
		s.t.Errorf("%v in %s", err, body)
	}
	s.mu.Lock()
	s.model, s.request, s.body = at[1], request, string(body)
	s.mu.Unlock()
	for _, problem := range problems(at[1], request) {
		s.t.Errorf("the API refuses that %s: %s", problem, body)
	}
	s.answer(w, r)
}

// problems returns what the API would refuse of a request.
func problems(model string, r wireRequest) (found []string) {
	third := strings.HasPrefix(model, "gemini-3")
	if len(r.Contents) == 0 {
		found = append(found, "there are no contents")
	}
	for i, c := range r.Contents {
		if c.Role != "user" && c.Role != "model" || len(c.Parts) == 0 {
			found = append(found, fmt.Sprintf("content %d has role %q and %d parts", i, c.Role, len(c.Parts)))
		}
		for _, p := range c.Parts {
			found = append(found, partProblems(p, third)...)
		}
		calls, signed := callsOf(c)
		if third && len(calls) > 0 && !signed {
			found = append(found, "the first call of a turn has no signature")
		}
		if len(calls) > 0 && (i+1 == len(r.Contents) || !slices.Equal(calls, responsesOf(r.Contents[i+1]))) {
			found = append(found, "the results are not those of the calls")
		}
	}
	for _, t := range r.Tools {
		for _, f := range t.FunctionDeclarations {
			if !function.MatchString(f.Name) {
				found = append(found, "a function is named "+f.Name)
			}
			found = append(found, schemaProblems(f.ParametersJSONSchema)...)
		}
	}
	if mime := r.GenerationConfig.ResponseMIMEType; mime != "" && len(r.Tools) > 0 && !third {
		found = append(found, "function calling has a response MIME type")
	} else if len(r.GenerationConfig.ResponseJSONSchema) > 0 && mime != "application/json" {
		found = append(found, "a schema has no MIME type of JSON")
	}
	return append(found, schemaProblems(r.GenerationConfig.ResponseJSONSchema)...)
}

func partProblems(p wirePart, third bool) (found []string) {
	kinds := 0
	for _, is := range []bool{p.Text != nil, p.InlineData != nil, p.FileData != nil, p.FunctionCall != nil, p.FunctionResponse != nil} {
		if is {
			kinds++
		}
	}
	if kinds != 1 {
		found = append(found, fmt.Sprintf("a part is of %d kinds", kinds))
	}
	if p.InlineData != nil && (p.InlineData.MIMEType == "" || len(p.InlineData.Data) == 0) {
		found = append(found, "inline data is empty or of no type")
	}
	if p.FunctionCall != nil && !bytes.HasPrefix(p.FunctionCall.Args, []byte("{")) {
		found = append(found, "arguments are no object")
	}
	if p.FunctionResponse != nil && len(p.FunctionResponse.Parts) > 0 && !third {
		found = append(found, "a function response has media")
	}
	return found
}

func callsOf(c wireContent) (calls []string, signed bool) {
	for _, p := range c.Parts {
		if p.FunctionCall != nil {
			signed = signed || len(calls) == 0 && p.ThoughtSignature != ""
			calls = append(calls, p.FunctionCall.ID+" "+p.FunctionCall.Name)
		}
	}
	return calls, signed
}

func responsesOf(c wireContent) (responses []string) {
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			responses = append(responses, p.FunctionResponse.ID+" "+p.FunctionResponse.Name)
		}
	}
	return responses
}

// known are the keywords that the API documents.
const known = "$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum " +
	"maximum anyOf oneOf properties additionalProperties required propertyOrdering"

// schemaProblems returns what the API does not take in a schema.
func schemaProblems(schema json.RawMessage) (found []string) {
	if len(schema) == 0 {
		return nil
	}
	var is map[string]json.RawMessage
	if json.Unmarshal(schema, &is) != nil {
		return nil // a bool
	}
	for name, value := range is {
		if !slices.Contains(strings.Fields(known), name) {
			found = append(found, "a schema has "+name)
		}
		if is["$ref"] != nil && !strings.HasPrefix(name, "$") {
			found = append(found, name+" stands beside a $ref")
		}
		switch name {
		case "items", "additionalProperties":
			found = append(found, schemaProblems(value)...)
		case "anyOf", "oneOf", "prefixItems":
			var all []json.RawMessage
			_ = json.Unmarshal(value, &all)
			for _, one := range all {
				found = append(found, schemaProblems(one)...)
			}
		case "properties", "$defs":
			var all map[string]json.RawMessage
			_ = json.Unmarshal(value, &all)
			for _, one := range all {
				found = append(found, schemaProblems(one)...)
			}
		}
	}
	return found
}

// says answers with JSON, or where the answer is to be streamed with an event a chunk.
func says(chunks ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			w.Header().Set("Content-Type", "application/json; charset=UTF-8")
			_, _ = io.WriteString(w, chunks[0])
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, chunk := range chunks {
			_, _ = io.WriteString(w, "data: "+chunk+"\r\n\r\n")
			w.(http.Flusher).Flush()
		}
	}
}

// writes answers with what is given, as it is.
func writes(status int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// chunk is an answer, or a piece of one, with parts as JSON.
func chunk(finish, parts string, more ...string) string {
	candidate := `{"content":{"role":"model","parts":[` + parts + `]},"index":0`
	if finish != "" {
		candidate += `,"finishReason":"` + finish + `"`
	}
	return `{"candidates":[` + candidate + `}],"modelVersion":"gemini-3.1-pro-preview-05","responseId":"r1"` + strings.Join(more, "") + `}`
}
