package mainline

import (
	"context"
	"encoding/json"
	"errors"
)

// Event is an entry as watch_resource answers it.
type Event struct {
	// Cursor resumes after this event.
	Cursor   string          `json:"bk_cursor"`
	Resource string          `json:"bk_resource"`
	Type     string          `json:"bk_event_type"`
	Detail   json.RawMessage `json:"bk_detail"`
	Revision int             `json:"revision"`
	Position int64           `json:"position"`
	Reason   string          `json:"reason"`
}

// Watcher follows the events of a resource. A program that stores Cursor resumes there.
type Watcher struct {
	Client   *Client
	Resource string
	// Cursor is after the last event that was returned; empty to begin now, or at StartFrom.
	Cursor string
	// StartFrom is Unix time in seconds.
	StartFrom   int64
	pending     []Event
	wasAnswered bool
}

type watched struct {
	HasEvents bool    `json:"bk_watched"`
	Events    []Event `json:"bk_events"`
}

// Next waits for the next event. A lost connection is resumed without missing one; only the first request is given up. After a
// refusal, Reset of the failure tells whether the database has gone back, and from which cursor to continue.
func (watcher *Watcher) Next(ctx context.Context) (Event, error) {
	for failures := 0; len(watcher.pending) == 0; {
		answer, err := Call[watched](ctx, watcher.Client, watcher.request())
		var failure *Failure
		if errors.As(err, &failure) && failure.Passing() && watcher.wasAnswered {
			if err := pause(ctx, failures, failure.RetryAfter); err != nil {
				return Event{}, err
			}
			failures++
			continue
		}
		if err != nil {
			return Event{}, err
		}
		failures, watcher.wasAnswered = 0, true
		if answer.HasEvents {
			watcher.pending = answer.Events
		} else {
			watcher.Cursor = answer.Events[0].Cursor
		}
	}
	event := watcher.pending[0]
	watcher.pending = watcher.pending[1:]
	watcher.Cursor = event.Cursor
	return event, nil
}

func (watcher *Watcher) request() Request {
	body := map[string]any{}
	if watcher.Cursor != "" {
		body["bk_cursor"] = watcher.Cursor
	} else if watcher.StartFrom > 0 {
		body["bk_start_from"] = watcher.StartFrom
	}
	return Request{Method: "POST", Path: Path("event", "watch", "resource", watcher.Resource), Body: body}
}
