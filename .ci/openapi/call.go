// Calls the simulator with the client that openapi-generator made for Go: a result, a failure, a promise.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	svc "example.com/generated/svc"
)

// What every failure has, whatever its status.
type failure interface{ GetError() svc.ErrorDetail }

func check(holds bool, what string, seen any) {
	if !holds {
		fmt.Fprintf(os.Stderr, "go: %s: %+v\n", what, seen)
		os.Exit(1)
	}
}

func main() {
	configuration := svc.NewConfiguration()
	configuration.Servers = svc.ServerConfigurations{{URL: os.Args[1]}}
	client := svc.NewAPIClient(configuration)
	with := context.WithValue(context.Background(), svc.ContextAccessToken, "svc_test_local_go")
	pan := func(pan string) (*svc.VerifyIdentityPanAnswer, error) {
		call := client.IdentityAndKYCAPI.VerifyIdentityPan(with)
		answer, _, err := call.VerifyIdentityPanInput(*svc.NewVerifyIdentityPanInput(pan)).Execute()
		return answer, err
	}

	found, err := pan("AAAAA0000A")
	check(err == nil, "a result", err)
	data := found.GetData()
	check(found.GetSuccess() && data.GetNameOnPan() != "", "a result", found)

	_, err = pan("AAAAA0503A")
	var refused *svc.GenericOpenAPIError
	check(errors.As(err, &refused), "a failure", err)
	var down svc.Error503
	switch model := refused.Model().(type) {
	case svc.Error503:
		down = model
	default:
		check(false, "a failure of status 503", model)
	}
	var typed failure = &down
	detail := typed.GetError()
	check(detail.GetRetryable() && detail.GetMessage() != "", "a failure that can be retried", detail)

	uan := client.EmploymentAPI.VerifyEmploymentUan(with)
	later, http, err := uan.VerifyEmploymentUanInput(*svc.NewVerifyEmploymentUanInput("100000000202")).Execute()
	check(err == nil && http.StatusCode == 202, "a promise", err)
	promised := later.GetData()
	check(later.GetStatus() == "pending" && promised.GetUan() == "100000000202", "a promise", later)

	fmt.Println("go: a result, a failure and a promise are typed")
}
