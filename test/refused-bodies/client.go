// Sends a body of so many bytes, and prints what was answered: one line each time. Usage: client URL BYTES TIMES FRAMING
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
)

func attempt(url string, size int, framing string) string {
	var body io.Reader = bytes.NewReader(bytes.Repeat([]byte("x"), size))
	if framing == "chunked" {
		body = io.MultiReader(body) // of unknown length
	}
	request, err := http.NewRequest("POST", url, body)
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	request.Close = framing == "close"
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	var envelope struct {
		Code int `json:"bk_error_code"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&envelope); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %d", answer.StatusCode, envelope.Code)
}

func main() {
	size, _ := strconv.Atoi(os.Args[2])
	times, _ := strconv.Atoi(os.Args[3])
	for n := 0; n < times; n++ {
		fmt.Println(attempt(os.Args[1], size, os.Args[4]))
	}
}
