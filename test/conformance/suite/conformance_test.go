// Package suite is the upstream conformance suite of the Gateway API as a program of its own.
package suite

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
	"sigs.k8s.io/gateway-api/conformance/tests"
	"sigs.k8s.io/gateway-api/conformance/utils/suite"
)

// onFailure names the variable with a command, as a JSON array, that is run with the name of a test which has failed, while the
// test's objects are still there.
const onFailure = "CONFORMANCE_ON_FAILURE"

// onlyProfiles names the variable with a list of profiles: only tests that count for one of them are run. By itself the suite runs all
// tests whose features are supported, whatever profiles its report is about.
const onlyProfiles = "CONFORMANCE_ONLY_PROFILES"

// ownTests names the variable that adds tests of features for which the suite has none.
const ownTests = "CONFORMANCE_OWN_TESTS"

var profiles = []suite.ConformanceProfile{
	suite.GatewayHTTPConformanceProfile, suite.GatewayTLSConformanceProfile, suite.GatewayTCPConformanceProfile,
	suite.GatewayUDPConformanceProfile, suite.GatewayGRPCConformanceProfile,
}

// disturbing names tests that upstream allows to run at once, although one of them grants in the same namespace what another wants to
// see refused: each is run alone, as it is.
var disturbing = map[string]bool{
	"GatewaySecretInvalidReferenceGrant":        true,
	"GatewaySecretMissingReferenceGrant":        true,
	"GatewaySecretReferenceGrantAllInNamespace": true,
	"GatewaySecretReferenceGrantSpecific":       true,
}

func TestConformance(t *testing.T) {
	var command []string
	if text := os.Getenv(onFailure); text != "" {
		if err := json.Unmarshal([]byte(text), &command); err != nil {
			t.Fatalf("%s: %v", onFailure, err)
		}
	}
	if text := os.Getenv(onlyProfiles); text != "" {
		wanted := strings.Split(text, ",")
		tests.ConformanceTests = slices.DeleteFunc(tests.ConformanceTests, func(test suite.ConformanceTest) bool {
			return !slices.ContainsFunc(profiles, func(profile suite.ConformanceProfile) bool {
				return slices.Contains(wanted, string(profile.Name)) &&
					profile.CoreFeatures.Union(profile.ExtendedFeatures).HasAll(test.Features...)
			})
		})
	}
	for i := range tests.ConformanceTests {
		if disturbing[tests.ConformanceTests[i].ShortName] {
			tests.ConformanceTests[i].Parallel = false
		}
	}
	if len(command) > 0 {
		for i := range tests.ConformanceTests {
			tests.ConformanceTests[i].Test = lookedAt(tests.ConformanceTests[i], command)
		}
	}
	conformance.RunConformance(t)
}

// lookedAt runs a test as it is. The suite removes a test's objects in functions that it has registered before this one, and those
// that are registered last run first.
func lookedAt(test suite.ConformanceTest, command []string) func(*testing.T, *suite.ConformanceTestSuite) {
	return func(t *testing.T, s *suite.ConformanceTestSuite) {
		t.Cleanup(func() {
			if !t.Failed() {
				return
			}
			if output, err := exec.Command(command[0], append(command[1:], test.ShortName)...).CombinedOutput(); err != nil {
				t.Logf("%s: %v: %s", onFailure, err, output)
			}
		})
		test.Test(t, s)
	}
}
