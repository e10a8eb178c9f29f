package main

// What follows is written by go test -run TestStandardTypes -types.

import (
	agenttriage "github.com/graphgen/graphgen/examples/agenttriage"
	assistant "github.com/graphgen/graphgen/examples/assistant"
	chat "github.com/graphgen/graphgen/examples/chat"
	chatserver "github.com/graphgen/graphgen/examples/chatserver"
	desk "github.com/graphgen/graphgen/examples/desk"
	fallback "github.com/graphgen/graphgen/examples/fallback"
	fixloop "github.com/graphgen/graphgen/examples/fixloop"
	helpline "github.com/graphgen/graphgen/examples/helpline"
	inquiry "github.com/graphgen/graphgen/examples/inquiry"
	librarian "github.com/graphgen/graphgen/examples/librarian"
	newsroom "github.com/graphgen/graphgen/examples/newsroom"
	refunds "github.com/graphgen/graphgen/examples/refunds"
	research "github.com/graphgen/graphgen/examples/research"
	survive "github.com/graphgen/graphgen/examples/survive"
	tenants "github.com/graphgen/graphgen/examples/tenants"
	toolrouter "github.com/graphgen/graphgen/examples/toolrouter"
	triage "github.com/graphgen/graphgen/examples/triage"
	wires "github.com/graphgen/graphgen/examples/wires"
)

// standardTypes are the generated types that have the methods of encoding/json.
var standardTypes = []any{
	new(agenttriage.Finding),
	new(agenttriage.Issue),
	new(agenttriage.Outcome),
	new(agenttriage.OutcomeOutcome),
	new(agenttriage.Report),
	new(agenttriage.Severity),
	new(agenttriage.TriageFileIssueOut),
	new(agenttriage.TriageInput),
	new(agenttriage.TriageListFilesArgs),
	new(agenttriage.TriageOutput),
	new(agenttriage.TriageReadFileArgs),
	new(agenttriage.TriageReviewOut),
	new(agenttriage.TriageRunTestsArgs),
	new(assistant.AssistantInput),
	new(assistant.AssistantOutput),
	new(assistant.Kind),
	new(assistant.Place),
	new(chat.ChatInput),
	new(chat.ChatOrderArgs),
	new(chat.ChatOutput),
	new(chat.ChatState),
	new(chatserver.ClerkInput),
	new(chatserver.ClerkOutput),
	new(chatserver.ClerkState),
	new(desk.DeskInput),
	new(desk.DeskOutput),
	new(desk.DeskStatusArgs),
	new(desk.Ticket),
	new(desk.TicketTopic),
	new(fallback.FallbackInput),
	new(fallback.FallbackOutput),
	new(fallback.Origin),
	new(fixloop.FixloopInput),
	new(fixloop.FixloopOutput),
	new(helpline.HelplineInput),
	new(helpline.HelplineOutput),
	new(helpline.HelplineTechnicalOut),
	new(inquiry.Answer),
	new(inquiry.Finding),
	new(inquiry.InquiryInput),
	new(inquiry.InquiryListTextsArgs),
	new(inquiry.InquiryOutput),
	new(inquiry.InquiryReadTextArgs),
	new(inquiry.InquirySearchArgs),
	new(inquiry.Match),
	new(inquiry.Plan),
	new(inquiry.Review),
	new(librarian.Answer),
	new(librarian.LibrarianInput),
	new(librarian.LibrarianListFilesArgs),
	new(librarian.LibrarianOutput),
	new(librarian.LibrarianReadFileArgs),
	new(librarian.LibrarianSearchArgs),
	new(librarian.Match),
	new(newsroom.NewsroomDraftOut),
	new(newsroom.NewsroomInput),
	new(newsroom.NewsroomOutput),
	new(newsroom.NewsroomPublishOut),
	new(refunds.InboxInput),
	new(refunds.InboxOutput),
	new(refunds.OfficeInput),
	new(refunds.OfficeOutput),
	new(refunds.SupportInput),
	new(refunds.SupportLookUpArgs),
	new(refunds.SupportOutput),
	new(refunds.SupportRefundArgs),
	new(research.Look),
	new(research.Package),
	new(research.ResearchInput),
	new(research.ResearchOutput),
	new(research.ResearchReflectOut),
	new(research.ResearchReflectOutRoute),
	new(research.ResearchTellPayload),
	new(survive.LetterInput),
	new(survive.LetterOutput),
	new(tenants.Answer),
	new(tenants.TenantsInput),
	new(tenants.TenantsListOrdersArgs),
	new(tenants.TenantsOutput),
	new(tenants.TenantsReadOrderArgs),
	new(toolrouter.Ask),
	new(toolrouter.AskTool),
	new(toolrouter.ToolrouterInput),
	new(toolrouter.ToolrouterOutput),
	new(triage.Finding),
	new(triage.FindingSource),
	new(triage.Severity),
	new(triage.TriageInput),
	new(triage.TriageInvestigateOut),
	new(triage.TriageOutput),
	new(wires.RefundInput),
	new(wires.RefundOutput),
}
