# Waiting for an event. Source it.
# shellcheck shell=sh

# What has not happened after so many seconds will not: it is not that the machine
# is busy. For all tests.
wait_limit=300

# wait_for COMMAND...: until it succeeds. Fails, with what it said last, if that
# does not happen.
wait_for() {
	wf_end=$(($(date +%s) + wait_limit))
	until wf_said=$("$@" 2>&1); do
		if [ "$(date +%s)" -ge "$wf_end" ]; then
			echo "waited $wait_limit s for: $*" >&2
			[ -z "$wf_said" ] || echo "$wf_said" >&2
			return 1
		fi
		sleep 0.1
	done
}
