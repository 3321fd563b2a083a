package mainline

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Codes that programs act upon. All of them are listed at /docs/errors of a running server.
const (
	CodeConflict         = 1199409
	CodeCursorGone       = 1199410
	CodeRevisionMismatch = 1199412
	CodeTooManyRequests  = 1199429
	CodeNotReady         = 1199503
	CodeOutcomeUnknown   = 1199504
)

// Failure is why a call did not succeed.
type Failure struct {
	// Status is that of HTTP; 0 when nothing answered. With --compat bk-cmdb it is 200: go by Code.
	Status int
	// Code is bk_error_code; 0 when nothing or nothing known answered.
	Code int
	Text string
	// RequestID is what operators find the call by in the server's log.
	RequestID string
	Data      json.RawMessage
	// RetryAfter is how long the server asks to wait.
	RetryAfter time.Duration
	cause      error
}

func (failure *Failure) Error() string {
	return fmt.Sprintf("%d: %s", failure.Code, failure.Text)
}

func (failure *Failure) Unwrap() error { return failure.cause }

// Passing reports whether the same call may succeed later.
func (failure *Failure) Passing() bool {
	switch failure.Code {
	case CodeConflict:
		// A request that is still in progress says when to retry, a conflict with later changes does not.
		return failure.RetryAfter > 0
	case CodeTooManyRequests, CodeNotReady, CodeOutcomeUnknown:
		return true
	}
	return failure.Status == 0 || failure.Status == http.StatusTooManyRequests || failure.Status == http.StatusServiceUnavailable
}

// Reset is what a refused cursor says about a database that has gone back: read the current state, then watch from Cursor.
type Reset struct {
	Cursor string `json:"bk_cursor"`
	// Position is the last record that both histories have in common.
	Position int64 `json:"position"`
}

// Reset is nil unless the record of a cursor is lost.
func (failure *Failure) Reset() *Reset {
	var reset Reset
	if failure.Code != CodeCursorGone || json.Unmarshal(failure.Data, &reset) != nil {
		return nil
	}
	return &reset
}

func failureOf(answer *http.Response, read envelope[json.RawMessage]) *Failure {
	text := read.Message
	if read.Code == 0 {
		text = fmt.Sprintf("HTTP %d, and not from Mainline", answer.StatusCode)
	}
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	return &Failure{
		Status:     answer.StatusCode,
		Code:       read.Code,
		Text:       text,
		RequestID:  answer.Header.Get("cc_request_id"),
		Data:       read.Data,
		RetryAfter: time.Duration(seconds) * time.Second,
	}
}

// unreachable is a failure that passes, unless the caller has given up.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &Failure{Text: "no answer: " + err.Error(), cause: err}
}
