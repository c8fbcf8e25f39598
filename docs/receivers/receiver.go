// Does the work of each record once: go run receiver.go PORT
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
)

func main() {
	var lock sync.Mutex
	done := map[string]bool{} // Yours is a table: see the page.
	http.HandleFunc("/", func(answer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		key := request.Header.Get("Idempotency-Key")
		lock.Lock()
		defer lock.Unlock()
		if !json.Valid(body) {
			answer.WriteHeader(422) // Useless to try again: to the dead letter topic.
		} else if !done[key] {
			fmt.Println("work", key, string(body))
			done[key] = true
		} // The answer is 200 otherwise, also to a record that is done already.
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
