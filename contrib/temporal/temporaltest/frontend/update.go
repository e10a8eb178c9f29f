package frontend

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	protocolpb "go.temporal.io/api/protocol/v1"
	"go.temporal.io/api/serviceerror"
	updatepb "go.temporal.io/api/update/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/anypb"
)

// An update is sent to the workflow with its next task.
type update struct {
	request  *updatepb.Request
	sent     bool
	accepted int64 // its event
	outcome  *updatepb.Outcome
}

// requests returns the updates that the workflow does not have. The lock is held.
func (x *workflow) requests() (list []*protocolpb.Message) {
	for id, u := range x.updates {
		if u.accepted != 0 || u.outcome != nil {
			continue
		}
		u.sent = true
		body, err := anypb.New(u.request)
		if err != nil {
			panic(err)
		}
		list = append(list, &protocolpb.Message{
			Id: id + "/request", ProtocolInstanceId: id, Body: body, SequencingId: &protocolpb.Message_EventId{EventId: x.working - 1},
		})
	}
	return list
}

// message takes what a workflow answers to an update. The lock is held.
func (x *workflow) message(m *protocolpb.Message) {
	u := x.updates[m.ProtocolInstanceId]
	body, err := m.Body.UnmarshalNew()
	if u == nil || err != nil {
		x.failures = append(x.failures, "a message of no update")
		x.changed.Broadcast()
		return
	}
	switch b := body.(type) {
	case *updatepb.Acceptance:
		u.accepted = x.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionUpdateAcceptedEventAttributes{
				WorkflowExecutionUpdateAcceptedEventAttributes: &historypb.WorkflowExecutionUpdateAcceptedEventAttributes{
					ProtocolInstanceId: m.ProtocolInstanceId, AcceptedRequestMessageId: b.AcceptedRequestMessageId,
					AcceptedRequestSequencingEventId: b.AcceptedRequestSequencingEventId, AcceptedRequest: u.request,
				},
			}
		}).EventId
	case *updatepb.Response:
		u.outcome = b.Outcome
		x.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionUpdateCompletedEventAttributes{
				WorkflowExecutionUpdateCompletedEventAttributes: &historypb.WorkflowExecutionUpdateCompletedEventAttributes{
					Meta: u.request.Meta, Outcome: b.Outcome, AcceptedEventId: u.accepted,
				},
			}
		})
	case *updatepb.Rejection:
		u.outcome = &updatepb.Outcome{Value: &updatepb.Outcome_Failure{Failure: b.Failure}}
	}
}

// UpdateWorkflowExecution implements the service: it waits for the outcome.
func (s *Server) UpdateWorkflowExecution(
	ctx context.Context, r *workflowservice.UpdateWorkflowExecutionRequest,
) (*workflowservice.UpdateWorkflowExecutionResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, id := s.named(r.WorkflowExecution), r.Request.Meta.UpdateId
	if x == nil {
		return nil, serviceerror.NewNotFound("no such workflow")
	}
	u := x.updates[id]
	if u == nil {
		u = &update{request: r.Request}
		x.updates[id] = u
		s.changed.Broadcast()
		if x.woken = x.working != 0; !x.woken {
			x.schedule()
		}
	}
	if !s.wait(ctx, func() bool { return u.outcome != nil }) {
		return nil, ctx.Err()
	}
	return &workflowservice.UpdateWorkflowExecutionResponse{
		UpdateRef: &updatepb.UpdateRef{WorkflowExecution: x.execution, UpdateId: id}, Outcome: u.outcome,
		Stage: enumspb.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED,
	}, nil
}
