package frontend

//lint:file-ignore SA1019 The client of Temporal finds its commands by fields that are deprecated.

import (
	commandpb "go.temporal.io/api/command/v1"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
)

// A parent is the workflow that has started a child workflow.
type parent struct {
	of        *workflow
	initiated int64
	started   int64
}

func (p *parent) execution() *commonpb.WorkflowExecution {
	if p == nil {
		return nil
	}
	return p.of.execution
}

// ofChild executes a command that is about a child workflow, and reports whether it is one. The lock is held.
func (x *workflow) ofChild(c *commandpb.Command, completed int64) bool {
	switch c.CommandType {
	case enumspb.COMMAND_TYPE_START_CHILD_WORKFLOW_EXECUTION:
		x.startChild(c.GetStartChildWorkflowExecutionCommandAttributes(), completed)
	case enumspb.COMMAND_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION:
		x.cancelChild(c.GetRequestCancelExternalWorkflowExecutionCommandAttributes(), completed)
	case enumspb.COMMAND_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION:
		x.signalChild(c.GetSignalExternalWorkflowExecutionCommandAttributes(), completed)
	default:
		return false
	}
	return true
}

// startChild starts a child workflow. The lock is held.
func (x *workflow) startChild(a *commandpb.StartChildWorkflowExecutionCommandAttributes, completed int64) {
	e := x.add(enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_StartChildWorkflowExecutionInitiatedEventAttributes{
			StartChildWorkflowExecutionInitiatedEventAttributes: &historypb.StartChildWorkflowExecutionInitiatedEventAttributes{
				Namespace: a.Namespace, WorkflowId: a.WorkflowId, WorkflowType: a.WorkflowType, TaskQueue: a.TaskQueue, Input: a.Input,
				ParentClosePolicy: a.ParentClosePolicy, Header: a.Header, WorkflowTaskCompletedEventId: completed,
			},
		}
	})
	child := x.newWorkflow(a.WorkflowId, a.WorkflowType, a.TaskQueue)
	child.parent = &parent{of: x, initiated: e.EventId}
	x.children[e.EventId] = child
	child.begin(x.newRunID(), a.Input, a.Header)
	x.addLater(func() {
		child.parent.started = x.add(enumspb.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ChildWorkflowExecutionStartedEventAttributes{
				ChildWorkflowExecutionStartedEventAttributes: &historypb.ChildWorkflowExecutionStartedEventAttributes{
					InitiatedEventId: child.parent.initiated, WorkflowExecution: child.execution, WorkflowType: child.kind,
				},
			}
		}).EventId
	})
}

// cancelChild requests that a child workflow be cancelled. The lock is held.
func (x *workflow) cancelChild(a *commandpb.RequestCancelExternalWorkflowExecutionCommandAttributes, completed int64) {
	of := &commonpb.WorkflowExecution{WorkflowId: a.WorkflowId, RunId: a.RunId}
	e := x.add(enumspb.EVENT_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_RequestCancelExternalWorkflowExecutionInitiatedEventAttributes{
			RequestCancelExternalWorkflowExecutionInitiatedEventAttributes: &historypb.RequestCancelExternalWorkflowExecutionInitiatedEventAttributes{
				Namespace: a.Namespace, Control: a.Control, WorkflowTaskCompletedEventId: completed,
				WorkflowExecution: of, ChildWorkflowOnly: a.ChildWorkflowOnly,
			},
		}
	})
	if child := x.named(of); child != nil {
		child.happens(func() {
			child.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED, func(e *historypb.HistoryEvent) {
				e.Attributes = &historypb.HistoryEvent_WorkflowExecutionCancelRequestedEventAttributes{
					WorkflowExecutionCancelRequestedEventAttributes: &historypb.WorkflowExecutionCancelRequestedEventAttributes{},
				}
			})
		})
	}
	x.addLater(func() {
		x.add(enumspb.EVENT_TYPE_EXTERNAL_WORKFLOW_EXECUTION_CANCEL_REQUESTED, func(ended *historypb.HistoryEvent) {
			ended.Attributes = &historypb.HistoryEvent_ExternalWorkflowExecutionCancelRequestedEventAttributes{
				ExternalWorkflowExecutionCancelRequestedEventAttributes: &historypb.ExternalWorkflowExecutionCancelRequestedEventAttributes{
					InitiatedEventId: e.EventId, WorkflowExecution: of,
				},
			}
		})
	})
}

// signalChild signals a child workflow. The lock is held.
func (x *workflow) signalChild(a *commandpb.SignalExternalWorkflowExecutionCommandAttributes, completed int64) {
	e := x.add(enumspb.EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_SignalExternalWorkflowExecutionInitiatedEventAttributes{
			SignalExternalWorkflowExecutionInitiatedEventAttributes: &historypb.SignalExternalWorkflowExecutionInitiatedEventAttributes{
				Namespace: a.Namespace, Control: a.Control, WorkflowTaskCompletedEventId: completed, WorkflowExecution: a.Execution,
				SignalName: a.SignalName, Input: a.Input,
				ChildWorkflowOnly: a.ChildWorkflowOnly, Header: a.Header,
			},
		}
	})
	if child := x.named(a.Execution); child != nil {
		child.signal(a.SignalName, a.Input, a.Header)
	}
	x.addLater(func() {
		x.add(enumspb.EVENT_TYPE_EXTERNAL_WORKFLOW_EXECUTION_SIGNALED, func(ended *historypb.HistoryEvent) {
			ended.Attributes = &historypb.HistoryEvent_ExternalWorkflowExecutionSignaledEventAttributes{
				ExternalWorkflowExecutionSignaledEventAttributes: &historypb.ExternalWorkflowExecutionSignaledEventAttributes{
					InitiatedEventId: e.EventId, WorkflowExecution: a.Execution,
				},
			}
		})
	})
}

// addLater adds events after the commands of the workflow task that is being completed, in the order of the calls. The lock is held.
func (x *workflow) addLater(add func()) { x.buffered = append(x.buffered, add) }

// abandonChildren terminates the child workflows of a workflow that closes. The lock is held.
func (x *workflow) abandonChildren() {
	for _, child := range x.children {
		child.closed, child.due = true, false
		child.abandonChildren()
	}
	x.children = map[int64]*workflow{}
}

// reportEnd adds the end of a child workflow to the history of its parent, by the last event of the child. The lock is held.
func (x *workflow) reportEnd(last *historypb.HistoryEvent) {
	x.abandonChildren()
	p := x.parent
	if p == nil || p.of.children[p.initiated] != x {
		return
	}
	delete(p.of.children, p.initiated)
	execution, kind := x.execution, x.kind
	p.of.happens(func() {
		switch last.EventType {
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
			p.of.add(enumspb.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED, func(e *historypb.HistoryEvent) {
				e.Attributes = &historypb.HistoryEvent_ChildWorkflowExecutionCompletedEventAttributes{
					ChildWorkflowExecutionCompletedEventAttributes: &historypb.ChildWorkflowExecutionCompletedEventAttributes{
						Result: last.GetWorkflowExecutionCompletedEventAttributes().Result, WorkflowExecution: execution, WorkflowType: kind,
						InitiatedEventId: p.initiated, StartedEventId: p.started,
					},
				}
			})
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
			p.of.add(enumspb.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_CANCELED, func(e *historypb.HistoryEvent) {
				e.Attributes = &historypb.HistoryEvent_ChildWorkflowExecutionCanceledEventAttributes{
					ChildWorkflowExecutionCanceledEventAttributes: &historypb.ChildWorkflowExecutionCanceledEventAttributes{
						Details: last.GetWorkflowExecutionCanceledEventAttributes().Details, WorkflowExecution: execution, WorkflowType: kind,
						InitiatedEventId: p.initiated, StartedEventId: p.started,
					},
				}
			})
		default:
			p.of.add(enumspb.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED, func(e *historypb.HistoryEvent) {
				e.Attributes = &historypb.HistoryEvent_ChildWorkflowExecutionFailedEventAttributes{
					ChildWorkflowExecutionFailedEventAttributes: &historypb.ChildWorkflowExecutionFailedEventAttributes{
						Failure: failureOf(last), WorkflowExecution: execution, WorkflowType: kind,
						InitiatedEventId: p.initiated, StartedEventId: p.started,
					},
				}
			})
		}
	})
}

func failureOf(last *historypb.HistoryEvent) *failurepb.Failure {
	return last.GetWorkflowExecutionFailedEventAttributes().GetFailure()
}
