// Package river runs the threads of durable graphs as jobs of River, a queue in Postgres, in any number of processes.
//
//	q, err := river.New(ctx, pool, river.Options{})               // makes the tables of threads and of jobs
//	m, err := NewOrder(handlers, thread.In(q.Store()))            // a durable machine, as for any store
//	job, err := q.Start(ctx, river.Order{Graph: "order", Thread: "order-17", Input: OrderInput{Order: "17"}})
//	err = q.Work(ctx, river.Worker{Machines: []*river.Machine{river.Durable(m)}}) // until ctx ends
//
// A job is one of:
//
//	start     begins a run in a thread
//	answer    answers a request of a run that waits, and continues it
//	recover   continues a run whose process has ended, or that has failed or was stopped
//	deadline  continues a run that waits where no answer has come in time; the store inserts it with the record of the pause
//
// Start, Answer and Recover of [Queue.In] insert the job in a transaction of the program: it is there if the transaction is committed.
//
// The lease of the thread decides who works on it, and not the queue: a job that finds its thread held waits. What the store of
// Postgres promises holds therefore of jobs, too: a step that was saved is not executed again, and effects keep their key.
package river
