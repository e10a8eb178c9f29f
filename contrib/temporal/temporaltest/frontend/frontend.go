// Package frontend is as much of a Temporal server as tests need: it keeps the history of workflows in memory, hands out their tasks, and loses what
// workers answer where a test requests that. Timers fire in real time.
package frontend

import (
	"cmp"
	"context"
	"errors"
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

// A Server has the workflows of a test.
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
	begun      []*workflow     // in the order in which they were started
	activities []*activity     // to be executed
	answered   map[string]int  // by the kind of task
	gone       map[string]bool // workers that have ended
	failures   []string        // of workflow tasks
	stopped    bool
	attempts   int32
	runs       int
}

// A workflow has one history after another, as it is continued.
type workflow struct {
	*Server
	events    []*historypb.HistoryEvent
	execution *commonpb.WorkflowExecution
	kind      *commonpb.WorkflowType
	queue     *taskqueuepb.TaskQueue
	due       bool   // a workflow task is to be executed
	working   int64  // the started event of the one that is executed; 0: none is
	worker    string // the identity of the one that executes it
	attempt   int32  // the number of its execution
	last      int64  // the started event of the last that was completed
	sticky    string // the queue of the worker that keeps the workflow in memory; empty: none does
	buffered  []func()
	woken     bool // an update has arrived during the task that is executed
	scheduled map[int64]*activity
	timers    map[string]*timer
	updates   map[string]*update
	closed    bool
	earlier   map[string][]*historypb.HistoryEvent // of workflows that were continued as the next, by the IDs of their runs
	first     string                               // the ID of the first run of the workflow

	parent   *parent             // nil: it is no child workflow
	children map[int64]*workflow // that have not ended, by the events that initiated them
}

type activity struct {
	of      *workflow
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
	for _, x := range s.begun {
		if x.working != 0 && x.worker == worker {
			x.abandon()
		}
		x.sticky = ""
		for _, id := range slices.Sorted(maps.Keys(x.scheduled)) {
			if t := x.scheduled[id]; t.worker == worker {
				t.attempt, t.worker = t.attempt+1, ""
				s.activities = append(s.activities, t)
			}
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

// History returns the last history of the last workflow that a client has started.
func (s *Server) History() *historypb.History {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started().history()
}

// Children returns the histories of all child workflows, by the IDs of these.
func (s *Server) Children() map[string]*historypb.History {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]*historypb.History{}
	for _, x := range s.begun {
		if x.parent != nil {
			all[x.execution.WorkflowId] = x.history()
		}
	}
	return all
}

func (x *workflow) history() *historypb.History {
	return &historypb.History{Events: append([]*historypb.HistoryEvent(nil), x.events...)}
}

// started returns the last workflow that a client has started, an empty one if there is none. The lock is held.
func (s *Server) started() *workflow {
	for _, x := range slices.Backward(s.begun) {
		if x.parent == nil {
			return x
		}
	}
	return new(workflow)
}

// named returns the last workflow with an ID and, unless that is empty, the ID of a run; nil: there is none. The lock is held.
func (s *Server) named(of *commonpb.WorkflowExecution) *workflow {
	for _, x := range slices.Backward(s.begun) {
		if x.execution.WorkflowId == of.WorkflowId && (of.RunId == "" || of.RunId == x.execution.RunId || x.earlier[of.RunId] != nil) {
			return x
		}
	}
	return nil
}

// Await waits until the history of the last workflow with an ID satisfies such. The error is the one of the context, or that the server has ended.
func (s *Server) Await(ctx context.Context, id string, such func(events []*historypb.HistoryEvent) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := &commonpb.WorkflowExecution{WorkflowId: id}
	if !s.wait(ctx, func() bool { x := s.named(of); return x != nil && such(x.events) }) {
		return cmp.Or(context.Cause(ctx), errors.New("the server has ended"))
	}
	return nil
}

// AwaitUpdates waits until the last workflow with an ID has got a number of updates.
func (s *Server) AwaitUpdates(ctx context.Context, id string, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := &commonpb.WorkflowExecution{WorkflowId: id}
	if !s.wait(ctx, func() bool { x := s.named(of); return x != nil && len(x.updates) >= n }) {
		return cmp.Or(context.Cause(ctx), errors.New("the server has ended"))
	}
	return nil
}

// Earlier returns how many events the histories have that were continued as the last one.
func (s *Server) Earlier() (events []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.started().earlier {
		events = append(events, len(h))
	}
	return events
}

// AwaitFailure returns when a workflow task has failed, or with an error, if the context or the server ends before.
func (s *Server) AwaitFailure(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.wait(ctx, func() bool { return len(s.failures) > 0 }) {
		return cmp.Or(context.Cause(ctx), errors.New("the server has ended"))
	}
	return nil
}

// Failures returns the failures of workflow tasks.
func (s *Server) Failures() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.failures...)
}

// add adds an event. The lock is held.
func (x *workflow) add(kind enumspb.EventType, attributes func(*historypb.HistoryEvent)) *historypb.HistoryEvent {
	e := &historypb.HistoryEvent{EventId: int64(len(x.events) + 1), EventTime: timestamppb.Now(), EventType: kind, TaskId: int64(1<<20 + len(x.events))}
	if attributes != nil {
		attributes(e)
	}
	x.events = append(x.events, e)
	x.changed.Broadcast()
	return e
}

// happens adds events of what happens besides workflow tasks, and has the workflow executed. The lock is held.
func (x *workflow) happens(add func()) {
	if x.closed {
		return
	}
	if x.working != 0 {
		x.buffered = append(x.buffered, add)
		return
	}
	add()
	x.schedule()
}

// schedule schedules a workflow task. The lock is held.
func (x *workflow) schedule() {
	if x.due || x.closed {
		return
	}
	x.due = true
	x.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskScheduledEventAttributes{
			WorkflowTaskScheduledEventAttributes: &historypb.WorkflowTaskScheduledEventAttributes{
				TaskQueue: x.queue, StartToCloseTimeout: durationpb.New(10 * time.Second), Attempt: 1,
			},
		}
	})
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
	x := s.newWorkflow(r.WorkflowId, r.WorkflowType, r.TaskQueue)
	return &workflowservice.StartWorkflowExecutionResponse{RunId: x.begin(s.newRunID(), r.Input, r.Header), Started: true}, nil
}

// newWorkflow adds a workflow. The lock is held.
func (s *Server) newWorkflow(id string, kind *commonpb.WorkflowType, queue *taskqueuepb.TaskQueue) *workflow {
	x := &workflow{
		Server: s, updates: map[string]*update{}, earlier: map[string][]*historypb.HistoryEvent{}, children: map[int64]*workflow{},
		execution: &commonpb.WorkflowExecution{WorkflowId: id}, kind: kind, queue: queue,
	}
	s.begun = append(s.begun, x)
	return x
}

// newRunID returns an ID that is as long as an ID of a server.
func (s *Server) newRunID() string {
	s.runs++
	return fmt.Sprintf("0199c8a0-0000-7000-8000-%012d", s.runs)
}

// begin begins a history of the workflow. The lock is held.
func (x *workflow) begin(id string, in *commonpb.Payloads, header *commonpb.Header) string {
	x.events, x.due, x.working, x.last, x.buffered, x.closed, x.sticky = nil, false, 0, 0, nil, false, ""
	x.activities = slices.DeleteFunc(x.activities, func(a *activity) bool { return a.of == x })
	x.scheduled, x.timers = map[int64]*activity{}, map[string]*timer{}
	before := x.execution.RunId
	x.execution = &commonpb.WorkflowExecution{WorkflowId: x.execution.WorkflowId, RunId: id}
	if x.first == "" {
		x.first = id
	}
	x.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
			WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{
				ParentWorkflowExecution: x.parent.execution(),
				WorkflowType:            x.kind, TaskQueue: x.queue, Input: in, WorkflowTaskTimeout: durationpb.New(10 * time.Second),
				OriginalExecutionRunId: id, FirstExecutionRunId: x.first, ContinuedExecutionRunId: before, Attempt: 1, Header: header,
				WorkflowId: x.execution.WorkflowId,
			},
		}
	})
	x.schedule()
	return id
}

// SignalWorkflowExecution implements the service.
func (s *Server) SignalWorkflowExecution(
	_ context.Context, r *workflowservice.SignalWorkflowExecutionRequest,
) (*workflowservice.SignalWorkflowExecutionResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.named(r.WorkflowExecution)
	if x == nil {
		return nil, serviceerror.NewNotFound("no such workflow")
	}
	x.signal(r.SignalName, r.Input, r.Header)
	return &workflowservice.SignalWorkflowExecutionResponse{}, nil
}

// signal signals the workflow. The lock is held.
func (x *workflow) signal(name string, input *commonpb.Payloads, header *commonpb.Header) {
	x.happens(func() {
		x.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionSignaledEventAttributes{
				WorkflowExecutionSignaledEventAttributes: &historypb.WorkflowExecutionSignaledEventAttributes{
					SignalName: name, Input: input, Header: header,
				},
			}
		})
	})
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
	var x *workflow
	if !s.wait(ctx, func() bool {
		if s.gone[r.Identity] {
			return false
		}
		for _, x = range s.begun {
			if x.due && x.working == 0 && x.sticky == own {
				return true
			}
		}
		return false
	}) {
		return &workflowservice.PollWorkflowTaskQueueResponse{}, nil
	}
	scheduled := x.events[len(x.events)-1].EventId
	started := x.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskStartedEventAttributes{
			WorkflowTaskStartedEventAttributes: &historypb.WorkflowTaskStartedEventAttributes{
				ScheduledEventId: scheduled, Identity: r.Identity,
				RequestId: "0199c8a0-0000-7000-8000-000000000000", HistorySizeBytes: int64(1000 * len(x.events)),
			},
		}
	})
	s.attempts++
	x.working, x.worker, x.attempt = started.EventId, r.Identity, s.attempts
	attempt := s.attempts
	time.AfterFunc(taskTimeout, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if x.working != 0 && x.attempt == attempt { // its worker has ended
			x.abandon()
		}
	})
	events := x.events
	if own != "" {
		events = events[x.last:]
	}
	return &workflowservice.PollWorkflowTaskQueueResponse{
		TaskToken: fmt.Appendf(nil, "%s/%d/%d", x.execution.RunId, started.EventId, x.attempt), WorkflowExecution: x.execution, WorkflowType: x.kind,
		PreviousStartedEventId: x.last, StartedEventId: started.EventId, Attempt: 1,
		History: &historypb.History{Events: append([]*historypb.HistoryEvent(nil), events...)}, Messages: x.requests(), WorkflowExecutionTaskQueue: x.queue,
		ScheduledTime: timestamppb.Now(), StartedTime: timestamppb.Now(),
	}, nil
}

// taskTimeout is how long a worker may take for a workflow task.
const taskTimeout = 5 * time.Second

// abandon takes back the workflow task that is executed, which is executed again. The lock is held.
func (x *workflow) abandon() {
	x.events = x.events[:x.working-1]
	x.working, x.sticky = 0, ""
	x.changed.Broadcast()
}

// unhandled takes back the workflow task that is executed, as the workflow does not know what has happened meanwhile. The lock is held.
func (x *workflow) unhandled() {
	started := x.working
	x.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskFailedEventAttributes{
			WorkflowTaskFailedEventAttributes: &historypb.WorkflowTaskFailedEventAttributes{
				ScheduledEventId: started - 1, StartedEventId: started, Cause: enumspb.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
			},
		}
	})
	x.due, x.working, x.sticky = false, 0, ""
	happened := x.buffered
	x.buffered = nil
	for _, add := range happened {
		add()
	}
	x.schedule()
}

// executing returns the workflow whose task is executed with a token; nil: none is. The lock is held.
func (s *Server) executing(token []byte) *workflow {
	for _, x := range s.begun {
		if x.working != 0 && string(token) == fmt.Sprintf("%s/%d/%d", x.execution.RunId, x.working, x.attempt) {
			return x
		}
	}
	return nil
}

// RespondWorkflowTaskFailed implements the service.
func (s *Server) RespondWorkflowTaskFailed(
	_ context.Context, r *workflowservice.RespondWorkflowTaskFailedRequest,
) (*workflowservice.RespondWorkflowTaskFailedResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, r.Failure.GetMessage())
	s.changed.Broadcast()
	if x := s.executing(r.TaskToken); x != nil {
		x.abandon()
	}
	return &workflowservice.RespondWorkflowTaskFailedResponse{}, nil
}

// RespondWorkflowTaskCompleted implements the service.
func (s *Server) RespondWorkflowTaskCompleted(
	_ context.Context, r *workflowservice.RespondWorkflowTaskCompletedRequest,
) (*workflowservice.RespondWorkflowTaskCompletedResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.executing(r.TaskToken)
	if x == nil {
		return nil, serviceerror.NewNotFound("no such task")
	}
	if s.lost("workflow") {
		x.abandon()
		return nil, serviceerror.NewNotFound("the task is lost")
	}
	if len(x.buffered) > 0 && slices.ContainsFunc(r.Commands, func(c *commandpb.Command) bool {
		return c.CommandType == enumspb.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION
	}) {
		x.unhandled()
		return nil, serviceerror.NewInvalidArgument("UnhandledCommand")
	}
	started := x.working
	completed := x.add(enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED, func(e *historypb.HistoryEvent) {
		e.Attributes = &historypb.HistoryEvent_WorkflowTaskCompletedEventAttributes{
			WorkflowTaskCompletedEventAttributes: &historypb.WorkflowTaskCompletedEventAttributes{
				ScheduledEventId: started - 1, StartedEventId: started, Identity: r.Identity, SdkMetadata: r.SdkMetadata, MeteringMetadata: r.MeteringMetadata,
			},
		}
	})
	x.due, x.working, x.last, x.sticky = false, 0, started, r.StickyAttributes.GetWorkerTaskQueue().GetName()
	for _, m := range r.Messages {
		if m.Body.MessageIs(new(updatepb.Rejection)) {
			x.message(m)
		}
	}
	for _, c := range r.Commands {
		if c.CommandType == enumspb.COMMAND_TYPE_PROTOCOL_MESSAGE {
			for _, m := range r.Messages {
				if m.Id == c.GetProtocolMessageCommandAttributes().MessageId {
					x.message(m)
				}
			}
			continue
		}
		if err := x.command(c, completed.EventId); err != nil {
			return nil, err
		}
	}
	for _, u := range x.updates {
		u.sent = u.sent && (u.accepted != 0 || u.outcome != nil) // else it is sent again
	}
	happened := x.buffered
	if x.buffered = nil; !x.closed && (len(happened) > 0 || x.woken) {
		for _, add := range happened {
			add()
		}
		x.schedule()
	}
	x.woken = false
	s.changed.Broadcast()
	return &workflowservice.RespondWorkflowTaskCompletedResponse{}, nil
}

// command executes a command of a workflow. The lock is held.
func (x *workflow) command(c *commandpb.Command, completed int64) error {
	switch c.CommandType {
	case enumspb.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK:
		a := c.GetScheduleActivityTaskCommandAttributes()
		e := x.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, func(e *historypb.HistoryEvent) {
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
		x.scheduled[e.EventId] = &activity{of: x, event: e, attempt: 1}
		x.activities = append(x.activities, x.scheduled[e.EventId])
	case enumspb.COMMAND_TYPE_REQUEST_CANCEL_ACTIVITY_TASK:
		id := c.GetRequestCancelActivityTaskCommandAttributes().ScheduledEventId
		x.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ActivityTaskCancelRequestedEventAttributes{
				ActivityTaskCancelRequestedEventAttributes: &historypb.ActivityTaskCancelRequestedEventAttributes{
					ScheduledEventId:             id,
					WorkflowTaskCompletedEventId: completed,
				},
			}
		})
		delete(x.scheduled, id)
	case enumspb.COMMAND_TYPE_START_TIMER:
		a := c.GetStartTimerCommandAttributes()
		e := x.add(enumspb.EVENT_TYPE_TIMER_STARTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_TimerStartedEventAttributes{TimerStartedEventAttributes: &historypb.TimerStartedEventAttributes{
				TimerId: a.TimerId, StartToFireTimeout: a.StartToFireTimeout, WorkflowTaskCompletedEventId: completed,
			}}
		})
		t := &timer{event: e.EventId}
		t.stop = time.AfterFunc(a.StartToFireTimeout.AsDuration(), func() { x.fire(a.TimerId, t) }).Stop
		x.timers[a.TimerId] = t
	case enumspb.COMMAND_TYPE_CANCEL_TIMER:
		id := c.GetCancelTimerCommandAttributes().TimerId
		t := x.timers[id]
		t.stop()
		delete(x.timers, id)
		x.add(enumspb.EVENT_TYPE_TIMER_CANCELED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_TimerCanceledEventAttributes{TimerCanceledEventAttributes: &historypb.TimerCanceledEventAttributes{
				TimerId: id, StartedEventId: t.event, WorkflowTaskCompletedEventId: completed,
			}}
		})
	case enumspb.COMMAND_TYPE_RECORD_MARKER:
		a := c.GetRecordMarkerCommandAttributes()
		x.add(enumspb.EVENT_TYPE_MARKER_RECORDED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_MarkerRecordedEventAttributes{MarkerRecordedEventAttributes: &historypb.MarkerRecordedEventAttributes{
				MarkerName: a.MarkerName, Details: a.Details, Header: a.Header, Failure: a.Failure, WorkflowTaskCompletedEventId: completed,
			}}
		})
	case enumspb.COMMAND_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:
		x.add(enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_UpsertWorkflowSearchAttributesEventAttributes{
				UpsertWorkflowSearchAttributesEventAttributes: &historypb.UpsertWorkflowSearchAttributesEventAttributes{
					SearchAttributes: c.GetUpsertWorkflowSearchAttributesCommandAttributes().SearchAttributes, WorkflowTaskCompletedEventId: completed,
				},
			}
		})
	default:
		if x.ofChild(c, completed) {
			return nil
		}
		return x.end(c, completed)
	}
	return nil
}

// end executes a command that ends a run of the workflow. The lock is held.
func (x *workflow) end(c *commandpb.Command, completed int64) error {
	switch c.CommandType {
	case enumspb.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION:
		x.closed = true
		x.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionCompletedEventAttributes{
				WorkflowExecutionCompletedEventAttributes: &historypb.WorkflowExecutionCompletedEventAttributes{
					Result: c.GetCompleteWorkflowExecutionCommandAttributes().Result, WorkflowTaskCompletedEventId: completed,
				},
			}
		})
		x.reportEnd(x.events[len(x.events)-1])
	case enumspb.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION:
		a, id := c.GetContinueAsNewWorkflowExecutionCommandAttributes(), x.newRunID()
		x.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionContinuedAsNewEventAttributes{
				WorkflowExecutionContinuedAsNewEventAttributes: &historypb.WorkflowExecutionContinuedAsNewEventAttributes{
					NewExecutionRunId: id, WorkflowType: a.WorkflowType, TaskQueue: a.TaskQueue, Input: a.Input, WorkflowTaskCompletedEventId: completed,
				},
			}
		})
		x.earlier[x.execution.RunId] = x.events
		x.abandonChildren()
		for _, t := range x.timers {
			t.stop()
		}
		x.begin(id, a.Input, a.Header)
	case enumspb.COMMAND_TYPE_FAIL_WORKFLOW_EXECUTION:
		x.closed = true
		x.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionFailedEventAttributes{
				WorkflowExecutionFailedEventAttributes: &historypb.WorkflowExecutionFailedEventAttributes{
					Failure: c.GetFailWorkflowExecutionCommandAttributes().Failure, WorkflowTaskCompletedEventId: completed,
				},
			}
		})
		x.reportEnd(x.events[len(x.events)-1])
	case enumspb.COMMAND_TYPE_CANCEL_WORKFLOW_EXECUTION:
		x.closed = true
		x.reportEnd(x.add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_WorkflowExecutionCanceledEventAttributes{
				WorkflowExecutionCanceledEventAttributes: &historypb.WorkflowExecutionCanceledEventAttributes{
					Details: c.GetCancelWorkflowExecutionCommandAttributes().Details, WorkflowTaskCompletedEventId: completed,
				},
			}
		}))
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
func (x *workflow) fire(id string, t *timer) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.timers[id] != t {
		return
	}
	x.happens(func() {
		if x.timers[id] != t { // the workflow has cancelled it meanwhile
			return
		}
		delete(x.timers, id)
		x.add(enumspb.EVENT_TYPE_TIMER_FIRED, func(e *historypb.HistoryEvent) {
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
	x := t.of
	s.activities, t.worker = s.activities[1:], r.Identity
	a := t.event.GetActivityTaskScheduledEventAttributes()
	return &workflowservice.PollActivityTaskQueueResponse{
		TaskToken: fmt.Appendf(nil, "%s/%d", x.execution.RunId, t.event.EventId), WorkflowNamespace: "default",
		WorkflowType: x.kind, WorkflowExecution: x.execution,
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
	return &workflowservice.RespondActivityTaskCompletedResponse{}, s.ended(r.TaskToken, r.Identity, func(x *workflow, scheduled, started int64) {
		x.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, func(e *historypb.HistoryEvent) {
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
	return &workflowservice.RespondActivityTaskFailedResponse{}, s.ended(r.TaskToken, r.Identity, func(x *workflow, scheduled, started int64) {
		x.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_FAILED, func(e *historypb.HistoryEvent) {
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
func (s *Server) ended(token []byte, identity string, add func(x *workflow, scheduled, started int64), failed *failurepb.Failure) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var id int64
	var run string
	_, err := fmt.Sscanf(string(token), "%36s/%d", &run, &id)
	at := slices.IndexFunc(s.begun, func(x *workflow) bool { return x.execution.RunId == run && x.scheduled[id] != nil })
	if err != nil || at < 0 {
		return serviceerror.NewNotFound("no such activity")
	}
	x := s.begun[at]
	t := x.scheduled[id]
	again := failed != nil && !failed.GetApplicationFailureInfo().GetNonRetryable()
	if s.lost("activity") || again {
		t.attempt++
		t.worker = ""
		s.activities = append(s.activities, t)
		s.changed.Broadcast()
		return nil
	}
	x.happens(func() {
		if x.scheduled[id] != t { // the workflow has cancelled it meanwhile
			return
		}
		delete(x.scheduled, id)
		started := x.add(enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED, func(e *historypb.HistoryEvent) {
			e.Attributes = &historypb.HistoryEvent_ActivityTaskStartedEventAttributes{
				ActivityTaskStartedEventAttributes: &historypb.ActivityTaskStartedEventAttributes{
					ScheduledEventId: id, Identity: identity, RequestId: "0199c8a0-0000-7000-8000-000000000000", Attempt: t.attempt,
				},
			}
		})
		add(x, id, started.EventId)
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
	x := s.named(r.Execution)
	if x == nil {
		return nil, serviceerror.NewNotFound("no such workflow")
	}
	if events, ok := x.earlier[r.Execution.RunId]; ok {
		return &workflowservice.GetWorkflowExecutionHistoryResponse{History: &historypb.History{Events: events[len(events)-1:]}}, nil
	}
	if r.WaitNewEvent && !s.wait(short, func() bool { return x.closed }) {
		return &workflowservice.GetWorkflowExecutionHistoryResponse{History: new(historypb.History), NextPageToken: []byte("again")}, nil
	}
	events := x.events
	if r.HistoryEventFilterType == enumspb.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT {
		events = events[len(events)-1:]
	}
	return &workflowservice.GetWorkflowExecutionHistoryResponse{History: &historypb.History{Events: append([]*historypb.HistoryEvent(nil), events...)}}, nil
}

// Size returns the bytes of a history.
func Size(h *historypb.History) int { return proto.Size(h) }
