// Package frontend is as much of a Temporal server as tests need: it keeps the history of workflows in memory, hands out their tasks, and loses what
// workers answer where a test says so. Timers fire in real time.
package frontend

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	commandpb "go.temporal.io/api/command/v1"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	updatepb "go.temporal.io/api/update/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// A Server has the workflows of a test, one at a time.
type Server struct {
	workflowservice.UnimplementedWorkflowServiceServer

	// Lose reports whether an answer of a worker is lost, as if the worker had ended: of its task of a kind, workflow or activity, counted from 1 with
	// those that were lost. nil: none is.
	Lose func(kind string, n int) bool

	grpc    *grpc.Server
	client  client.Client
	address string

	mu         sync.Mutex
	changed    *sync.Cond
	events     []*historypb.HistoryEvent
	execution  *commonpb.WorkflowExecution
	kind       *commonpb.WorkflowType
	queue      *taskqueuepb.TaskQueue
	due        bool   // a workflow task is to be executed
	working    int64  // the started event of the one that is executed; 0: none is
	worker     string // the identity of the one that executes it
	last       int64  // the started event of the last that was completed
	sticky     string // the queue of the worker that keeps the workflow in memory; empty: none does
	buffered   []func()
	woken      bool        // an update has arrived during the task that is executed
	activities []*activity // to be executed
	scheduled  map[int64]*activity
	timers     map[string]*timer
	updates    map[string]*update
	closed     bool
	earlier    map[string][]*historypb.HistoryEvent // of workflows that were continued as the next, by the IDs of their runs
	answered   map[string]int                       // by the kind of task
	gone       map[string]bool                      // workers that have ended
	failures   []string                             // of workflow tasks
	stopped    bool
	attempts   int32
	runs       int
	first      string // the ID of the first run of the workflow
}

type activity struct {
	event   *historypb.HistoryEvent
	attempt int32
	worker  string // the identity of the one that executes it; empty: none does
}

type timer struct {
	event int64
	stop  func() bool
}

// Start starts a server, and a client of it.
func Start(logger log.Logger) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{grpc: grpc.NewServer(), answered: map[string]int{}, gone: map[string]bool{}, address: listener.Addr().String()}
	s.changed = sync.NewCond(&s.mu)
	workflowservice.RegisterWorkflowServiceServer(s.grpc, s)
	go func() { _ = s.grpc.Serve(listener) }() // until Stop
	s.client, err = client.Dial(client.Options{HostPort: s.address, Logger: logger})
	if err != nil {
		s.grpc.Stop()
	}
	return s, err
}

// Client returns the client.
func (s *Server) Client() client.Client { return s.client }

// Address is where the server listens.
func (s *Server) Address() string { return s.address }

// Gone makes the server give what a worker executes to others, as the timeouts of a server do once the worker has ended.
func (s *Server) Gone(worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone[worker] = true // polls of it may still wait
	if s.working != 0 && s.worker == worker {
		s.abandon()
	}
	s.sticky = ""
	for _, id := range slices.Sorted(maps.Keys(s.scheduled)) {
		if t := s.scheduled[id]; t.worker == worker {
			t.attempt, t.worker = t.attempt+1, ""
			s.activities = append(s.activities, t)
		}
	}
	s.changed.Broadcast()
}

// Stop ends the server.
func (s *Server) Stop() {
	s.mu.Lock()
	s.stopped = true
	s.changed.Broadcast()
	s.mu.Unlock()
	s.client.Close()
	s.grpc.Stop()
}

// History returns the history of the last workflow.
func (s *Server) History() *historypb.History {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &historypb.History{Events: append([]*historypb.HistoryEvent(nil), s.events...)}
}

// Earlier returns how many events the histories have that were continued as the last one.
func (s *Server) Earlier() (events []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.earlier {
		events = append(events, len(h))
	}
	return events
}

// Failures returns the failures of workflow tasks.
func (s *Server) Failures() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.failures...)
}

// add adds an event. The lock is held.
func (s *Server) add(kind enumspb.EventType, attributes func(*historypb.HistoryEvent)) *historypb.HistoryEvent {
	e := &historypb.HistoryEvent{EventId: int64(len(s.events) + 1), EventTime: timestamppb.Now(), EventType: kind, TaskId: int64(1<<20 + len(s.events))}
	if attributes != nil {
		attributes(e)
	}
	s.events = append(s.events, e)
	return e
}

// happens adds events of what happens besides workflow tasks, and has the workflow executed. The lock is held.
func (s *Server) happens(add func()) {
	if s.closed {
		return
	}
	if s.working != 0 {
		s.buffered = append(s.buffered, add)
		return
	}
	add()
	s.schedule()
}

// schedule schedules a workflow task. The lock is held.
func (s *Server) schedule() {
	if s.due || s.closed {
		return
	}
	s.due = true
	s.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskScheduledEventAttributes{
			WorkflowTaskScheduledEventAttributes: &historypb.WorkflowTaskScheduledEventAttributes{
				TaskQueue: s.queue, StartToCloseTimeout: durationpb.New(10 * time.Second), Attempt: 1,
			},
		}
	})
	s.changed.Broadcast()
}

// wait waits until ready, with the lock held. It reports false where the context or the server has ended.
func (s *Server) wait(ctx context.Context, ready func() bool) bool {
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})()
	for !ready() {
		if ctx.Err() != nil || s.stopped {
			return false
		}
		s.changed.Wait()
	}
	return true
}

// lost reports whether an answer is lost. The lock is held.
func (s *Server) lost(kind string) bool {
	s.answered[kind]++
	return s.Lose != nil && s.Lose(kind, s.answered[kind])
}

// GetSystemInfo implements the service.
func (s *Server) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{ServerVersion: "1.30.0", Capabilities: &workflowservice.GetSystemInfoResponse_Capabilities{
		SignalAndQueryHeader: true, InternalErrorDifferentiation: true, ActivityFailureIncludeHeartbeat: true, SupportsSchedules: true,
		EncodedFailureAttributes: true, BuildIdBasedVersioning: true, UpsertMemo: true, EagerWorkflowStart: false, SdkMetadata: true,
		CountGroupByExecutionStatus: true,
	}}, nil
}

// DescribeNamespace implements the service.
func (s *Server) DescribeNamespace(context.Context, *workflowservice.DescribeNamespaceRequest) (*workflowservice.DescribeNamespaceResponse, error) {
	return &workflowservice.DescribeNamespaceResponse{NamespaceInfo: &namespacepb.NamespaceInfo{Name: "default"}}, nil
}

// StartWorkflowExecution implements the service.
func (s *Server) StartWorkflowExecution(
	_ context.Context, r *workflowservice.StartWorkflowExecutionRequest,
) (*workflowservice.StartWorkflowExecutionResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updates, s.earlier, s.first = map[string]*update{}, map[string][]*historypb.HistoryEvent{}, ""
	s.execution, s.kind, s.queue = &commonpb.WorkflowExecution{WorkflowId: r.WorkflowId}, r.WorkflowType, r.TaskQueue
	return &workflowservice.StartWorkflowExecutionResponse{RunId: s.begin(s.newRunID(), r.Input, r.Header), Started: true}, nil
}

// newRunID returns an ID that is as long as those of a server.
func (s *Server) newRunID() string {
	s.runs++
	return fmt.Sprintf("0199c8a0-0000-7000-8000-%012d", s.runs)
}

// begin begins a history of the workflow. The lock is held.
func (s *Server) begin(id string, in *commonpb.Payloads, header *commonpb.Header) string {
	s.events, s.due, s.working, s.last, s.buffered, s.closed, s.sticky = nil, false, 0, 0, nil, false, ""
	s.activities, s.scheduled, s.timers = nil, map[int64]*activity{}, map[string]*timer{}
	before := s.execution.RunId
	s.execution = &commonpb.WorkflowExecution{WorkflowId: s.execution.WorkflowId, RunId: id}
	if s.first == "" {
		s.first = id
	}
	s.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
			WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{
				WorkflowType: s.kind, TaskQueue: s.queue, Input: in, WorkflowTaskTimeout: durationpb.New(10 * time.Second),
				OriginalExecutionRunId: id, FirstExecutionRunId: s.first, ContinuedExecutionRunId: before, Attempt: 1, Header: header,
				WorkflowId: s.execution.WorkflowId,
			},
		}
	})
	s.schedule()
	return id
}

// SignalWorkflowExecution implements the service.
func (s *Server) SignalWorkflowExecution(
	_ context.Context, r *workflowservice.SignalWorkflowExecutionRequest,
) (*workflowservice.SignalWorkflowExecutionResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.happens(func() {
		s.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionSignaledEventAttributes{
				WorkflowExecutionSignaledEventAttributes: &historypb.WorkflowExecutionSignaledEventAttributes{
					SignalName: r.SignalName,
					Input:      r.Input,
					Header:     r.Header,
				},
			}
		})
	})
	return &workflowservice.SignalWorkflowExecutionResponse{}, nil
}

// PollWorkflowTaskQueue implements the service.
func (s *Server) PollWorkflowTaskQueue(
	ctx context.Context, r *workflowservice.PollWorkflowTaskQueueRequest,
) (*workflowservice.PollWorkflowTaskQueueResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := ""
	if r.TaskQueue.Kind == enumspb.TASK_QUEUE_KIND_STICKY {
		own = r.TaskQueue.Name
	}
	if !s.wait(ctx, func() bool { return s.due && s.working == 0 && s.sticky == own && !s.gone[r.Identity] }) {
		return &workflowservice.PollWorkflowTaskQueueResponse{}, nil
	}
	scheduled := s.events[len(s.events)-1].EventId
	started := s.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskStartedEventAttributes{
			WorkflowTaskStartedEventAttributes: &historypb.WorkflowTaskStartedEventAttributes{
				ScheduledEventId: scheduled, Identity: r.Identity,
				RequestId: "0199c8a0-0000-7000-8000-000000000000", HistorySizeBytes: int64(1000 * len(s.events)),
			},
		}
	})
	s.working, s.worker, s.attempts = started.EventId, r.Identity, s.attempts+1
	attempt := s.attempts
	time.AfterFunc(taskTimeout, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.working != 0 && s.attempts == attempt { // its worker has ended
			s.abandon()
		}
	})
	events := s.events
	if own != "" {
		events = events[s.last:]
	}
	return &workflowservice.PollWorkflowTaskQueueResponse{
		TaskToken: fmt.Appendf(nil, "%s/%d/%d", s.execution.RunId, started.EventId, s.attempts), WorkflowExecution: s.execution, WorkflowType: s.kind,
		PreviousStartedEventId: s.last, StartedEventId: started.EventId, Attempt: 1,
		History: &historypb.History{Events: append([]*historypb.HistoryEvent(nil), events...)}, Messages: s.requests(), WorkflowExecutionTaskQueue: s.queue,
		ScheduledTime: timestamppb.Now(), StartedTime: timestamppb.Now(),
	}, nil
}

// taskTimeout is how long a worker may take for a workflow task.
const taskTimeout = 5 * time.Second

// abandon takes back the workflow task that is executed, which is executed again. The lock is held.
func (s *Server) abandon() {
	s.events = s.events[:s.working-1]
	s.working, s.sticky = 0, ""
	s.changed.Broadcast()
}

// unhandled takes back the workflow task that is executed, as the workflow does not know what has happened meanwhile. The lock is held.
func (s *Server) unhandled() {
	started := s.working
	s.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskFailedEventAttributes{
			WorkflowTaskFailedEventAttributes: &historypb.WorkflowTaskFailedEventAttributes{
				ScheduledEventId: started - 1, StartedEventId: started, Cause: enumspb.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
			},
		}
	})
	s.due, s.working, s.sticky = false, 0, ""
	happened := s.buffered
	s.buffered = nil
	for _, add := range happened {
		add()
	}
	s.schedule()
}

// current reports whether a token is that of the workflow task that is executed. The lock is held.
func (s *Server) current(token []byte) bool {
	return s.working != 0 && string(token) == fmt.Sprintf("%s/%d/%d", s.execution.RunId, s.working, s.attempts)
}

// RespondWorkflowTaskFailed implements the service.
func (s *Server) RespondWorkflowTaskFailed(
	_ context.Context, r *workflowservice.RespondWorkflowTaskFailedRequest,
) (*workflowservice.RespondWorkflowTaskFailedResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, r.Failure.GetMessage())
	if s.current(r.TaskToken) {
		s.abandon()
	}
	return &workflowservice.RespondWorkflowTaskFailedResponse{}, nil
}

// RespondWorkflowTaskCompleted implements the service.
func (s *Server) RespondWorkflowTaskCompleted(
	_ context.Context, r *workflowservice.RespondWorkflowTaskCompletedRequest,
) (*workflowservice.RespondWorkflowTaskCompletedResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.current(r.TaskToken) {
		return nil, serviceerror.NewNotFound("no such task")
	}
	if s.lost("workflow") {
		s.abandon()
		return nil, serviceerror.NewNotFound("the task is lost")
	}
	if len(s.buffered) > 0 && slices.ContainsFunc(r.Commands, func(c *commandpb.Command) bool {
		return c.CommandType == enumspb.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION
	}) {
		s.unhandled()
		return nil, serviceerror.NewInvalidArgument("UnhandledCommand")
	}
	started := s.working
	completed := s.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskCompletedEventAttributes{
			WorkflowTaskCompletedEventAttributes: &historypb.WorkflowTaskCompletedEventAttributes{
				ScheduledEventId: started - 1, StartedEventId: started, Identity: r.Identity, SdkMetadata: r.SdkMetadata, MeteringMetadata: r.MeteringMetadata,
			},
		}
	})
	s.due, s.working, s.last, s.sticky = false, 0, started, r.StickyAttributes.GetWorkerTaskQueue().GetName()
	for _, m := range r.Messages {
		if m.Body.MessageIs(new(updatepb.Rejection)) {
			s.message(m)
		}
	}
	for _, c := range r.Commands {
		if c.CommandType == enumspb.COMMAND_TYPE_PROTOCOL_MESSAGE {
			for _, m := range r.Messages {
				if m.Id == c.GetProtocolMessageCommandAttributes().MessageId {
					s.message(m)
				}
			}
			continue
		}
		if err := s.command(c, completed.EventId); err != nil {
			return nil, err
		}
	}
	for _, u := range s.updates {
		u.sent = u.sent && (u.accepted != 0 || u.outcome != nil) // else it is sent again
	}
	happened := s.buffered
	if s.buffered = nil; !s.closed && (len(happened) > 0 || s.woken) {
		for _, add := range happened {
			add()
		}
		s.schedule()
	}
	s.woken = false
	s.changed.Broadcast()
	return &workflowservice.RespondWorkflowTaskCompletedResponse{}, nil
}

// command executes a command of a workflow. The lock is held.
func (s *Server) command(c *commandpb.Command, completed int64) error {
	switch c.CommandType {
	case enumspb.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK:
		a := c.GetScheduleActivityTaskCommandAttributes()
		e := s.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, func(e *historypb.HistoryEvent) {
			e.UserMetadata = c.UserMetadata
			e.Attributes = &historypb.HistoryEvent_ActivityTaskScheduledEventAttributes{
				ActivityTaskScheduledEventAttributes: &historypb.ActivityTaskScheduledEventAttributes{
					ActivityId: a.ActivityId, ActivityType: a.ActivityType, TaskQueue: a.TaskQueue, Header: a.Header, Input: a.Input,
					ScheduleToCloseTimeout: a.ScheduleToCloseTimeout,
					ScheduleToStartTimeout: a.ScheduleToStartTimeout, StartToCloseTimeout: a.StartToCloseTimeout,
					HeartbeatTimeout: a.HeartbeatTimeout, WorkflowTaskCompletedEventId: completed, RetryPolicy: retries(a.RetryPolicy),
				},
			}
		})
		s.scheduled[e.EventId] = &activity{event: e, attempt: 1}
		s.activities = append(s.activities, s.scheduled[e.EventId])
	case enumspb.COMMAND_TYPE_REQUEST_CANCEL_ACTIVITY_TASK:
		id := c.GetRequestCancelActivityTaskCommandAttributes().ScheduledEventId
		s.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ActivityTaskCancelRequestedEventAttributes{
				ActivityTaskCancelRequestedEventAttributes: &historypb.ActivityTaskCancelRequestedEventAttributes{
					ScheduledEventId:             id,
					WorkflowTaskCompletedEventId: completed,
				},
			}
		})
		delete(s.scheduled, id)
	case enumspb.COMMAND_TYPE_START_TIMER:
		a := c.GetStartTimerCommandAttributes()
		e := s.add(enumspb.EVENT_TYPE_TIMER_STARTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_TimerStartedEventAttributes{TimerStartedEventAttributes: &historypb.TimerStartedEventAttributes{
				TimerId: a.TimerId, StartToFireTimeout: a.StartToFireTimeout, WorkflowTaskCompletedEventId: completed,
			}}
		})
		t := &timer{event: e.EventId}
		t.stop = time.AfterFunc(a.StartToFireTimeout.AsDuration(), func() { s.fire(a.TimerId, t) }).Stop
		s.timers[a.TimerId] = t
	case enumspb.COMMAND_TYPE_CANCEL_TIMER:
		id := c.GetCancelTimerCommandAttributes().TimerId
		t := s.timers[id]
		t.stop()
		delete(s.timers, id)
		s.add(enumspb.EVENT_TYPE_TIMER_CANCELED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_TimerCanceledEventAttributes{TimerCanceledEventAttributes: &historypb.TimerCanceledEventAttributes{
				TimerId: id, StartedEventId: t.event, WorkflowTaskCompletedEventId: completed,
			}}
		})
	case enumspb.COMMAND_TYPE_RECORD_MARKER:
		a := c.GetRecordMarkerCommandAttributes()
		s.add(enumspb.EVENT_TYPE_MARKER_RECORDED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_MarkerRecordedEventAttributes{MarkerRecordedEventAttributes: &historypb.MarkerRecordedEventAttributes{
				MarkerName: a.MarkerName, Details: a.Details, Header: a.Header, Failure: a.Failure, WorkflowTaskCompletedEventId: completed,
			}}
		})
	case enumspb.COMMAND_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:
		s.add(enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_UpsertWorkflowSearchAttributesEventAttributes{
				UpsertWorkflowSearchAttributesEventAttributes: &historypb.UpsertWorkflowSearchAttributesEventAttributes{
					SearchAttributes: c.GetUpsertWorkflowSearchAttributesCommandAttributes().SearchAttributes, WorkflowTaskCompletedEventId: completed,
				},
			}
		})
	default:
		return s.end(c, completed)
	}
	return nil
}

// end executes a command that ends a run of the workflow. The lock is held.
func (s *Server) end(c *commandpb.Command, completed int64) error {
	switch c.CommandType {
	case enumspb.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION:
		s.closed = true
		s.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionCompletedEventAttributes{
				WorkflowExecutionCompletedEventAttributes: &historypb.WorkflowExecutionCompletedEventAttributes{
					Result: c.GetCompleteWorkflowExecutionCommandAttributes().Result, WorkflowTaskCompletedEventId: completed,
				},
			}
		})
	case enumspb.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION:
		a, id := c.GetContinueAsNewWorkflowExecutionCommandAttributes(), s.newRunID()
		s.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionContinuedAsNewEventAttributes{
				WorkflowExecutionContinuedAsNewEventAttributes: &historypb.WorkflowExecutionContinuedAsNewEventAttributes{
					NewExecutionRunId: id, WorkflowType: a.WorkflowType, TaskQueue: a.TaskQueue, Input: a.Input, WorkflowTaskCompletedEventId: completed,
				},
			}
		})
		s.earlier[s.execution.RunId] = s.events
		for _, t := range s.timers {
			t.stop()
		}
		s.begin(id, a.Input, a.Header)
	case enumspb.COMMAND_TYPE_FAIL_WORKFLOW_EXECUTION:
		s.closed = true
		s.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionFailedEventAttributes{
				WorkflowExecutionFailedEventAttributes: &historypb.WorkflowExecutionFailedEventAttributes{
					Failure: c.GetFailWorkflowExecutionCommandAttributes().Failure, WorkflowTaskCompletedEventId: completed,
				},
			}
		})
	default:
		return serviceerror.NewInvalidArgument("the server of the tests has no command " + c.CommandType.String())
	}
	return nil
}

// retries returns the retry policy that a server keeps.
func retries(p *commonpb.RetryPolicy) *commonpb.RetryPolicy {
	if p != nil {
		return p
	}
	return &commonpb.RetryPolicy{InitialInterval: durationpb.New(time.Second), BackoffCoefficient: 2, MaximumInterval: durationpb.New(100 * time.Second)}
}

// fire fires a timer.
func (s *Server) fire(id string, t *timer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timers[id] != t {
		return
	}
	s.happens(func() {
		if s.timers[id] != t { // the workflow has cancelled it meanwhile
			return
		}
		delete(s.timers, id)
		s.add(enumspb.EVENT_TYPE_TIMER_FIRED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_TimerFiredEventAttributes{
				TimerFiredEventAttributes: &historypb.TimerFiredEventAttributes{TimerId: id, StartedEventId: t.event},
			}
		})
	})
}

// PollActivityTaskQueue implements the service.
func (s *Server) PollActivityTaskQueue(
	ctx context.Context, r *workflowservice.PollActivityTaskQueueRequest,
) (*workflowservice.PollActivityTaskQueueResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wait(ctx, func() bool { return len(s.activities) > 0 && !s.gone[r.Identity] }) {
		return &workflowservice.PollActivityTaskQueueResponse{}, nil
	}
	t := s.activities[0]
	s.activities, t.worker = s.activities[1:], r.Identity
	a := t.event.GetActivityTaskScheduledEventAttributes()
	return &workflowservice.PollActivityTaskQueueResponse{
		TaskToken: fmt.Appendf(nil, "%s/%d", s.execution.RunId, t.event.EventId), WorkflowNamespace: "default",
		WorkflowType: s.kind, WorkflowExecution: s.execution,
		ActivityType: a.ActivityType, ActivityId: a.ActivityId, Header: a.Header,
		Input: a.Input, ScheduledTime: t.event.EventTime, StartedTime: timestamppb.Now(),
		CurrentAttemptScheduledTime: timestamppb.Now(), Attempt: t.attempt, StartToCloseTimeout: a.StartToCloseTimeout, HeartbeatTimeout: a.HeartbeatTimeout,
		ScheduleToCloseTimeout: durationpb.New(time.Hour), RetryPolicy: a.RetryPolicy,
	}, nil
}

// RecordActivityTaskHeartbeat implements the service.
func (s *Server) RecordActivityTaskHeartbeat(
	context.Context, *workflowservice.RecordActivityTaskHeartbeatRequest,
) (*workflowservice.RecordActivityTaskHeartbeatResponse, error) {
	return &workflowservice.RecordActivityTaskHeartbeatResponse{}, nil
}

// RespondActivityTaskCompleted implements the service.
func (s *Server) RespondActivityTaskCompleted(
	_ context.Context, r *workflowservice.RespondActivityTaskCompletedRequest,
) (*workflowservice.RespondActivityTaskCompletedResponse, error) {
	return &workflowservice.RespondActivityTaskCompletedResponse{}, s.ended(r.TaskToken, r.Identity, func(scheduled, started int64) {
		s.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ActivityTaskCompletedEventAttributes{
				ActivityTaskCompletedEventAttributes: &historypb.ActivityTaskCompletedEventAttributes{
					Result: r.Result, ScheduledEventId: scheduled, StartedEventId: started, Identity: r.Identity,
				},
			}
		})
	}, nil)
}

// RespondActivityTaskFailed implements the service.
func (s *Server) RespondActivityTaskFailed(
	_ context.Context, r *workflowservice.RespondActivityTaskFailedRequest,
) (*workflowservice.RespondActivityTaskFailedResponse, error) {
	return &workflowservice.RespondActivityTaskFailedResponse{}, s.ended(r.TaskToken, r.Identity, func(scheduled, started int64) {
		s.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_FAILED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ActivityTaskFailedEventAttributes{
				ActivityTaskFailedEventAttributes: &historypb.ActivityTaskFailedEventAttributes{
					Failure: r.Failure, ScheduledEventId: scheduled, StartedEventId: started, Identity: r.Identity,
					RetryState: enumspb.RETRY_STATE_NON_RETRYABLE_FAILURE,
				},
			}
		})
	}, r.Failure)
}

// ended ends an activity, unless its answer is lost, or its failure may be overcome by another attempt.
func (s *Server) ended(token []byte, identity string, add func(scheduled, started int64), failed *failurepb.Failure) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var id int64
	var run string
	if _, err := fmt.Sscanf(string(token), "%36s/%d", &run, &id); err != nil || run != s.execution.RunId || s.scheduled[id] == nil {
		return serviceerror.NewNotFound("no such activity")
	}
	t := s.scheduled[id]
	again := failed != nil && !failed.GetApplicationFailureInfo().GetNonRetryable()
	if s.lost("activity") || again {
		t.attempt++
		t.worker = ""
		s.activities = append(s.activities, t)
		s.changed.Broadcast()
		return nil
	}
	s.happens(func() {
		if s.scheduled[id] != t { // the workflow has cancelled it meanwhile
			return
		}
		delete(s.scheduled, id)
		started := s.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ActivityTaskStartedEventAttributes{
				ActivityTaskStartedEventAttributes: &historypb.ActivityTaskStartedEventAttributes{
					ScheduledEventId: id, Identity: identity, RequestId: "0199c8a0-0000-7000-8000-000000000000", Attempt: t.attempt,
				},
			}
		})
		add(id, started.EventId)
	})
	return nil
}

// GetWorkflowExecutionHistory implements the service: it waits for the end of the workflow.
func (s *Server) GetWorkflowExecutionHistory(
	ctx context.Context, r *workflowservice.GetWorkflowExecutionHistoryRequest,
) (*workflowservice.GetWorkflowExecutionHistoryResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const poll = 20 * time.Second
	short, cancel := context.WithTimeout(ctx, poll)
	defer cancel()
	if events, ok := s.earlier[r.Execution.RunId]; ok {
		return &workflowservice.GetWorkflowExecutionHistoryResponse{History: &historypb.History{Events: events[len(events)-1:]}}, nil
	}
	if r.WaitNewEvent && !s.wait(short, func() bool { return s.closed }) {
		return &workflowservice.GetWorkflowExecutionHistoryResponse{History: new(historypb.History), NextPageToken: []byte("again")}, nil
	}
	events := s.events
	if r.HistoryEventFilterType == enumspb.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT {
		events = events[len(events)-1:]
	}
	return &workflowservice.GetWorkflowExecutionHistoryResponse{History: &historypb.History{Events: append([]*historypb.HistoryEvent(nil), events...)}}, nil
}

// Size returns the bytes of a history.
func Size(h *historypb.History) int { return proto.Size(h) }
