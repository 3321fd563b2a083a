package mainline

import "context"

const pageLimit = 200

// Pages reads a search that takes its page in `page` of the body, record after record:
//
//	for pages.Next(ctx) { use(pages.Record()) }
//	if err := pages.Err(); err != nil { ... }
type Pages[Record any] struct {
	client  *Client
	request Request
	body    map[string]any
	sort    string
	limit   int
	start   int
	ended   bool
	records []Record
	err     error
}

// Search begins at the first record; sort may be empty.
func Search[Record any](client *Client, path string, body map[string]any, sort string) *Pages[Record] {
	return &Pages[Record]{client: client, request: Request{Method: "POST", Path: path}, body: body, sort: sort, limit: pageLimit}
}

type found[Record any] struct {
	Count int      `json:"count"`
	Info  []Record `json:"info"`
}

// Next reports whether there is one more record.
func (pages *Pages[Record]) Next(ctx context.Context) bool {
	if len(pages.records) > 0 {
		pages.records = pages.records[1:]
	}
	if len(pages.records) == 0 && !pages.ended {
		pages.read(ctx)
	}
	return len(pages.records) > 0
}

func (pages *Pages[Record]) read(ctx context.Context) {
	page := map[string]any{"start": pages.start, "limit": pages.limit}
	if pages.sort != "" {
		page["sort"] = pages.sort
	}
	request := pages.request
	body := map[string]any{"page": page}
	for name, value := range pages.body {
		body[name] = value
	}
	request.Body = body
	answer, err := Call[found[Record]](ctx, pages.client, request)
	pages.records, pages.err = answer.Info, err
	pages.start += len(answer.Info)
	pages.ended = err != nil || len(answer.Info) < pages.limit || pages.start >= answer.Count
}

// Record is the one that Next has found.
func (pages *Pages[Record]) Record() Record { return pages.records[0] }

// Err is why there are no more records, if not because all have been read.
func (pages *Pages[Record]) Err() error { return pages.err }
