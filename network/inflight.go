package network

// This file owns the requests in flight on one connection, in the order they were sent. Client goroutine only.

import (
	"slices"
	"time"
)

// inFlight is a short queue: its length is bounded by Config.MaxInFlight.
type inFlight struct {
	queue []*Request
}

// len counts the requests that have not ended.
func (f *inFlight) len() int { return len(f.queue) }

// push adds a request that was handed to the writer.
func (f *inFlight) push(r *Request) { f.queue = append(f.queue, r) }

// awaiting returns the request whose response must come next; nil when none is due. One without a response is never in
// its way: the writer reports it as written before it passes the token for a later request.
func (f *inFlight) awaiting() *Request {
	if len(f.queue) == 0 || f.queue[0].NoResponse {
		return nil
	}
	return f.queue[0]
}

// remove takes out a request that ended.
func (f *inFlight) remove(r *Request) {
	if i := slices.Index(f.queue, r); i >= 0 {
		f.queue = slices.Delete(f.queue, i, i+1)
	}
}

// expired returns the first request that is past its deadline; nil when none is.
func (f *inFlight) expired(now time.Time) *Request {
	for _, r := range f.queue {
		if !r.deadline.IsZero() && !now.Before(r.deadline) {
			return r
		}
	}
	return nil
}

// earliest returns the next deadline; zero when there is none.
func (f *inFlight) earliest() time.Time {
	var first time.Time
	for _, r := range f.queue {
		first = sooner(first, r.deadline)
	}
	return first
}

// postpone moves all deadlines by d.
func (f *inFlight) postpone(d time.Duration) {
	for _, r := range f.queue {
		if !r.deadline.IsZero() {
			r.deadline = r.deadline.Add(d)
		}
	}
}

// sooner returns the earlier of two times; zero means never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}
