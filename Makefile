# make help lists every target with the comment after it.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# The product, the tests and the formatter use the JDK 25 that tools/jdk25 finds.
MVN  = JAVA_HOME="$$(tools/jdk25)" ./mvnw
# compiles in Maven's own JVM: half of the CPU seconds of one javac for each module
MVN_HERE = MAVEN_OPTS="$${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx2g}" $(MVN) -Dfairlead.forkCompiler=false
JAVA = "$$(tools/jdk25)/bin/java" $(JAVA_OPTS)
JAVA_OPTS ?=
# warnings and errors only
QUIET := -Dorg.slf4j.simpleLogger.defaultLogLevel=warn

# --- build: one Maven run, skipped while no input is newer than its stamp (directories are inputs: a deletion counts)
BUILD_STAMP  := verify/target/build.stamp
BUILD_INPUTS := $(wildcard pom.xml */pom.xml tools/*/pom.xml .mvn/*.config) $(shell find */src/main tools/*/src/main 2>/dev/null)

# class paths from the build, so that programs start without Maven
# the suites start the service with the ahead-of-time beans of tools/dist/prepare, like the image
SERVICE_CLASSPATH  = api/target/classes:$$(cat api/target/classpath.txt)$(if $(PREPARED_BEANS),:$(PREPARED_BEANS))
LAUNCHER_CLASSPATH = tools/launcher/target/classes:$$(cat tools/launcher/target/classpath.txt)
VERIFY_CLASSPATH    = verify/target/classes:$$(cat verify/target/classpath.txt)
# launchers and verify start the service as a child JVM; they themselves are small programs
SMALL_JVM = -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dslf4j.internal.verbosity=ERROR
SIM_STAMP = verify/target/simulation.stamp
LAWS_STAMP = scheduler/target/laws.stamp
LAWS_CLASSPATH = scheduler/target/test-classes:scheduler/target/classes:domain/target/classes
SIM_CLASSPATH = verify/target/test-classes:verify/target/classes:$$(cat verify/target/test-classpath.txt)
SIM = $(JAVA) -XX:+UseSerialGC -Dslf4j.internal.verbosity=ERROR -cp "$(SIM_CLASSPATH)" dev.fairlead.verify.simulation.SimulationMain
POOLS = $(JAVA) -XX:+UseSerialGC -Xmx2g -Dslf4j.internal.verbosity=ERROR -cp "$(SIM_CLASSPATH)" $(PLACES) dev.fairlead.verify.simulation.fleet.PoolMain
FLEET = $(JAVA) -XX:+UseSerialGC -Xmx6g -Dslf4j.internal.verbosity=ERROR -cp "$(SIM_CLASSPATH)" dev.fairlead.verify.simulation.fleet.FleetMain
# with the class cache of make service-cache, if it is current
PLACES = -Dfairlead.root="$(CURDIR)" \
  -Dfairlead.service.classpath="$(if $(PREPARED_BEANS),$(SERVICE_CLASSPATH),$$(tools/service-cache classpath))" \
  -Dfairlead.service.aot-cache="$(if $(PREPARED_BEANS),,$$(tools/service-cache file))"
LAUNCH = $(JAVA) $(SMALL_JVM) -cp "$(LAUNCHER_CLASSPATH)" $(PLACES)
VERIFY  = $(JAVA) $(SMALL_JVM) -cp "$(VERIFY_CLASSPATH)" $(PLACES)

# measurements need the optimising compiler
VERIFY_FAST = $(JAVA) -XX:+UseSerialGC --sun-misc-unsafe-memory-access=allow -Dslf4j.internal.verbosity=ERROR -cp "$(VERIFY_CLASSPATH)" $(PLACES)

# passes a variable on only if the caller has set it
given = $(if $(filter command% environment%,$(origin $1)),$($1))

# --- arguments of make replay
TRACE   ?= philly
JOBS    ?= 500
FROM    ?= 0
SPEEDUP ?= 3600
MAX_RUN ?= 20s
# --- arguments of make replay-engine, with TRACE and NODES
FILE    ?=
SHARING ?=
MOST    ?=
SHRINK  ?=
TICK    ?=
OUT     ?=
# --- arguments of make fgd (files) and make bench-submit (sizes)
NODES ?=
PODS  ?=
SEEDS ?=
# make security LONG=1
LONG ?=
# make fuzz
FUZZ_SECONDS ?= 600
# make bench-engine QUICK=1
QUICK ?=
# make bench-scale SCALE=0.1
SCALE ?=
# make demo ONCE=1 AUTH=1
ONCE ?=
AUTH ?=
# make sim SEED=n, make sim-long MINUTES=m FROM_SEED=n
# make fleet-replay HOURS=24 GPUS=16384 CHECKPOINT=15m SPARES=40 SEED=1 CONTROLS=1 GANG_REPAIR=20 RESUME=8s
SEED      ?=
MINUTES   ?= 60
FROM_SEED ?= 1

# make chaos KILLS=n SUBMITS=m CHAOS_SEED=n LEASES=production
KILLS      ?= 12
SUBMITS    ?= 1500
CHAOS_SEED ?= 1
LEASES     ?=
# make operate ONLY=, make launchers ONLY=
ONLY ?=
# make release VERSION=, DRY_RUN=1
VERSION ?=
DRY_RUN ?=
# make test-long PART=: part of the figures
PART ?= 1
# make laws SEEDS=n FROM_SEED=n LAW=name, or SEED=n for one world
LAW ?=

# make cases DIR= LIST=1
DIR  ?=
LIST ?=

.PHONY: airflow-check backends bench-api bench-engine bench-front bench-health bench-idle bench-image bench-kueue \
  bench-launch bench-launch-smoke bench-queue bench-scale bench-slurm bench-smoke bench-soak \
  bench-submit bench-usage bench-webhooks books build cases chaos check clean clients-check \
  compose-smoke console console-types demo demo-k8s demo-real dev dist docs estimates fgd fleet-replay \
  format fuzz gpu-check help image launchers laws logs-check notebooks-check openapi openapi-lint operate \
  pool-replay recording release replay replay-engine reproducible restore-test run runtimes-check \
  screens sdk sdk-check security service-cache services sim sim-long test test-long test-realnode torchrun-check \
  two-versions verify-cache workflows-check

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / {printf "  %-18s %s\n", $$1, $$2}' Makefile

build: $(BUILD_STAMP) ## compile and package everything without tests; does nothing if no source changed
	@:

$(BUILD_STAMP): $(BUILD_INPUTS)
	@echo "building (sources changed) ..."
	@rm -f $(DEMO_STAMP) # a build that fails or is interrupted leaves classes that the demo cannot use
	@$(MVN_HERE) $(QUIET) -DskipTests -Dfairlead.skipTestCompile=true package
	@touch $@

# The first make demo compiles only the service and its launcher, without lint. It deletes its lists of compiled inputs,
# also after a failed run, so that the next full build compiles again. The lists of its classes remain, because the
# compiler uses them to delete outdated classes.
INPUT_LISTS := target/maven-status/maven-compiler-plugin/compile/*/inputFiles.lst
DEMO_STAMP := tools/launcher/target/demo.stamp
$(DEMO_STAMP): $(BUILD_INPUTS)
	@echo "building the service (make build also checks it) ..."
	@trap 'rm -f */$(INPUT_LISTS) tools/*/$(INPUT_LISTS)' EXIT; \
	$(MVN_HERE) $(QUIET) -pl api,tools/launcher -am -DskipTests -Dfairlead.skipTestCompile=true -Dfairlead.lint=-Xlint:none package
	@touch $@

service-cache: build ## create the class cache with which demo and benchmarks start the service (minutes; does nothing if the cache is current)
	@tools/service-cache

check: ## check the format, compile with Error Prone and NullAway as errors, run unit and architecture tests without a database (under a minute)
	@$(MVN) $(QUIET) -N spotless:check
	@rm -rf ./*/target/surefire-reports tools/*/target/surefire-reports # an earlier run's are not counted
	@code=0; $(MVN) $(QUIET) test -Dfairlead.skipDatabaseTests || code=$$?; tools/suite-report --only unit --maven-exit $$code

format: ## rewrite Java sources with google-java-format
	@$(MVN) $(QUIET) -N spotless:apply

test: ## run the whole suite including integration tests, as CI does
	@tools/run-suites

test-long: ## reach the figures of the guarantees, printed as "figure ..." lines, then run long chaos and simulation tests (hours; PART=0.01 runs a part)
	@FAIRLEAD_LONG=$(PART) tools/run-suites -Dgroups='figure|long' -DexcludedGroups=realnode -Dfairlead.long=$(PART) -Dfairlead.test.forks=1 -Dfairlead.it.forks=1 -Dfairlead.test.compiler=-XX:+TieredCompilation -Dsurefire.timeout=0
	@grep -rh '^figure' */target/*-reports/*-output.txt
	@$(MAKE) chaos KILLS=5 SUBMITS=500 LEASES=production
	@$(MAKE) sim-long MINUTES=$$(awk 'BEGIN { print int(90 * $(PART)) + 1 }')

test-realnode: ## test with real kubelets, containers and processes on this machine (minutes; needs root, runc, debootstrap, Go)
	@tools/realnode/suite

gpu-check: ## check the node agent, a CUDA fault and NCCL on a machine with an NVIDIA GPU; elsewhere all checks are skipped with the reason
	@python3 sdk/agent/gpu_check.py

demo: $(if $(wildcard $(BUILD_STAMP)),build,$(DEMO_STAMP)) ## run database, service, simulated fleet and example jobs on this machine (ONCE=1 exits after the jobs; AUTH=1 adds an issuer, two tenants and a check of their isolation)
	@$(LAUNCH) dev.fairlead.launcher.demo.DemoLauncher $(if $(AUTH),--auth) $(if $(ONCE),--once)

demo-k8s: build ## run the demo on two real Kubernetes control planes with simulated nodes (ONCE=1 as above; the first run builds them in minutes)
	@tools/k8s/cluster.sh build
	@$(LAUNCH) dev.fairlead.launcher.demo.DemoLauncher --kubernetes $(if $(ONCE),--once)
demo-real: build ## run four PyTorch processes on two real nodes that lose one and resume (needs the tools of test-realnode; ONCE=1 exits at the end)
	@$(LAUNCH) dev.fairlead.launcher.demo.RealDemoLauncher $(if $(ONCE),--once)

dev: build ## run the service with an embedded database, for work on Fairlead
	@$(LAUNCH) dev.fairlead.launcher.DevLauncher

run: build ## run the service on your PostgreSQL: FAIRLEAD_DB_URL, FAIRLEAD_DB_USER, FAIRLEAD_DB_PASSWORD
	@$(JAVA) -cp "$(SERVICE_CLASSPATH)" dev.fairlead.FairleadApplication

replay: build ## submit jobs of a public trace to a running service: TRACE= JOBS= FROM= SPEEDUP= MAX_RUN=
	@$(VERIFY) dev.fairlead.verify.load.replay.ReplayMain --trace "$(TRACE)" --jobs "$(JOBS)" --from "$(FROM)" --speedup "$(SPEEDUP)" --max-run "$(MAX_RUN)"

replay-engine: build ## replay public traces through the engine in virtual time: TRACE=philly|openb|tiresias|dlrm FILE= NODES= SHARING= MOST= SHRINK= TICK= OUT=; writes tables, CSV, SVG
	@$(VERIFY_FAST) dev.fairlead.verify.engine.timelapse.TimelapseMain --trace "$(call given,TRACE)" --file "$(FILE)" --nodes "$(NODES)" --sharing "$(SHARING)" --most "$(MOST)" --shrink "$(SHRINK)" --tick "$(TICK)" --out "$(OUT)"

estimates: build ## measure the accuracy of learned start estimates on public traces and on a generated set with users and images: TRACE=philly MOST=4000 SHRINK=8 SHARING= TICK=; exits with 1 if fewer than 85 % or more than 95 % of the jobs start by their p90
	@$(VERIFY_FAST) dev.fairlead.verify.engine.timelapse.EstimatesMain --trace "$(TRACE)" --file "$(FILE)" --nodes "$(NODES)" --sharing "$(SHARING)" --most "$(or $(MOST),4000)" --shrink "$(or $(SHRINK),8)" --tick "$(TICK)"

fgd: build ## measure placement quality on public lists: NODES=<csv> PODS=<csv> SEEDS=10; without arguments, measures all lists and compares them with published figures; OWN=1 uses our own lists
	@$(VERIFY_FAST) dev.fairlead.verify.engine.fgd.FgdMain --nodes "$(NODES)" --pods "$(PODS)" --seeds "$(or $(SEEDS),10)" --own "$(OWN)"

bench-engine: build ## measure the engine with JMH: whole plans at 1,213 and 10,000 nodes, a gang of 512, 100,000 explanations, and their heap; QUICK=1 measures less and is minutes faster
	@$(VERIFY_FAST) dev.fairlead.verify.engine.EngineMain $(if $(QUICK),--quick)

bench-smoke: build ## measure the floors: batch submit, submit to RUNNING, heap, start-up
	@$(VERIFY) dev.fairlead.verify.load.smoke.SmokeBench

bench-launch: service-cache ## launch 4,000 pods and a gang of 512 on a real control plane of 500 simulated nodes, compared with kube-scheduler and a bare client, each on a fresh control plane, in three rounds; QUICK=1 runs a quarter in one round
	@tools/k8s/cluster.sh build
	@$(VERIFY_FAST) dev.fairlead.verify.load.launch.LaunchContest $(if $(QUICK),--quick)

bench-launch-smoke: build ## measure launches on two real control planes: 2,000 pods, writes of an attempt, inventory, idle cost
	@tools/k8s/cluster.sh build
	@$(VERIFY) dev.fairlead.verify.load.launch.LaunchBench

bench-front: service-cache ## measure Jobs that kubectl creates on a front cluster, from the first create until all are Complete, compared with the Job controller and kube-scheduler; QUICK=1 runs a fifth; ALONE=1 runs only Fairlead
	@tools/k8s/cluster.sh build
	@$(VERIFY) dev.fairlead.verify.load.launch.FrontBench $(if $(QUICK),--quick) $(if $(ALONE),--fairlead)

bench-submit: service-cache ## measure single and batch submits with fleets of NODES=28,1000,10000 nodes; the cost of a job must not grow with the fleet
	@$(VERIFY_FAST) dev.fairlead.verify.load.submit.SubmitBench --nodes "$(NODES)"

bench-queue: service-cache ## measure complete job lifecycles, compared with db-scheduler, JobRunr, graphile-worker and pg-boss, with rows, commits and WAL of each (JOBS=4000); QUICK=1 measures only Fairlead, and checks that the cost of a job does not grow with the fleet
	@$(VERIFY_FAST) dev.fairlead.verify.load.queue.QueueBench --jobs "$(call given,JOBS)" $(if $(QUICK),--quick)

bench-slurm: service-cache ## run JOBS=5000 jobs that do nothing as single submits and as an array in Debian's Slurm with accounting and in Fairlead, and query both while 50,000 jobs wait; QUICK=1 runs a tenth; exits with 3 if the packages cannot be obtained (needs Linux and root)
	@$(VERIFY_FAST) dev.fairlead.verify.load.slurm.SlurmBench --jobs "$(call given,JOBS)" $(if $(QUICK),--quick)

bench-webhooks: build ## send 2,000 events a second to 1,000 webhooks from one process, to a receiver with TLS on this machine; QUICK=1 uses a tenth of both
	@$(VERIFY_FAST) dev.fairlead.verify.load.webhook.WebhookBench $(if $(QUICK),--quick)

bench-health: build ## measure the time from a fault's report to its quarantine and its gang's next run, events stored a second, and device lookups among GPUS=100000 with EVENTS=10000000; QUICK=1 uses less data and takes a minute
	@$(VERIFY_FAST) dev.fairlead.verify.load.health.HealthBench --gpus "$(call given,GPUS)" --events "$(call given,EVENTS)" $(if $(QUICK),--quick)

security: ## test every operation for every role on own objects, those of a sibling project and of another tenant; manipulations of the audit log; hostile addresses, kubeconfigs and JWTs; 100,000 random pods; roles of the database; prints the tables (LONG=1: also pages in a real browser, and that no secret is in the TRACE log of the API suite)
	@LONG=$(LONG) tools/security

verify-cache: ## compare caches of processes with the database, in many views under load; a planted lost notification must be found
	@$(MVN) $(QUIET) -pl persistence -am test -Dtest=VerifyCacheTest -Dsurefire.failIfNoSpecifiedTests=false

books: ## run random job lifecycles with clock steps, lost clusters and crashes: the accounts of each hour must close, and planted faults must be found; SEED= LIVES=
	@$(MVN) $(QUIET) -pl persistence -am test -Dtest=BooksTest -Dsurefire.failIfNoSpecifiedTests=false -Dbooks.seed=$(or $(SEED),21) -Dbooks.lives=$(if $(filter command% environment%,$(origin LIVES)),$(LIVES),2000)
	@grep -h '^books' persistence/target/surefire-reports/*BooksTest-output.txt

bench-usage: build ## measure a year of GPUS=100000 with INTERVALS=10000000: reports, statement, spill, hourly roll-up, and job lifecycles with and without the accounting loops; QUICK=1 measures a tenth in a few minutes
	@$(VERIFY_FAST) dev.fairlead.verify.load.usage.UsageBench --gpus "$(call given,GPUS)" --intervals "$(call given,INTERVALS)" $(if $(QUICK),--quick)

bench-kueue: service-cache ## run the performance test of Kueue's scheduler in Kueue (built from its module, needs Go) and in Fairlead, and a flood of jobs (twenty minutes and more); QUICK=1 runs a tenth of the jobs once
	@$(VERIFY_FAST) dev.fairlead.verify.load.kueue.KueueBench $(if $(QUICK),--quick)

bench-soak: build ## run mixed load for MINUTES=30 and measure growth of heap, threads, connections, files, tables, indexes and log; fails if one of these grows; QUICK=1 takes two and a half minutes
	@$(VERIFY_FAST) dev.fairlead.verify.load.soak.SoakBench --minutes "$(call given,MINUTES)" $(if $(QUICK),--quick)

bench-scale: service-cache ## run 100,000 waiting and 60,000 running jobs on 10,000 nodes, with 200 ends and 200 submits a second, for MINUTES=10; SCALE=0.1 runs a part; QUICK=1 runs a fiftieth in a minute
	@$(VERIFY_FAST) dev.fairlead.verify.load.scale.ScaleBench --scale "$(SCALE)" --minutes "$(call given,MINUTES)" $(if $(QUICK),--quick)

bench-idle: build ## measure the CPU of a service without jobs with NODES=10000 simulated nodes, for MINUTES=3 after three minutes of warm-up; fails above 1 % of a core
	@$(VERIFY_FAST) dev.fairlead.verify.load.scale.IdleBench --nodes "$(NODES)" --minutes "$(call given,MINUTES)"

bench-api: build ## measure reads of a million jobs (JOBS=): pages, summary, GET at 500/s, event streams, each with its bound
	@$(VERIFY_FAST) dev.fairlead.verify.load.api.ApiBench --jobs "$(call given,JOBS)"

cases: build ## judge the engine by conformance cases: DIR= (../shared/cases or FAIRLEAD_CASES), LIST=1 also lists cases that differ by policy
	@$(VERIFY) dev.fairlead.verify.engine.cases.CasesMain --dir "$(DIR)" $(if $(LIST),--list)

laws: $(LAWS_STAMP) ## check the laws of the engine over random worlds: SEEDS=500 FROM_SEED= LAW=; SEED=n checks one; a broken law prints its smallest world
	@$(JAVA) -XX:+UseSerialGC -cp "$(LAWS_CLASSPATH)" dev.fairlead.work.placement.laws.LawsMain --law "$(LAW)" --from "$(or $(SEED),$(FROM_SEED))" --seeds "$(if $(SEED),1,$(or $(SEEDS),500))"

# test code draws the worlds
$(LAWS_STAMP): $(BUILD_INPUTS) $(shell find domain/src/test scheduler/src/test)
	@echo "building the laws ..."
	@$(MVN) $(QUIET) -pl scheduler -am process-test-classes
	@touch $@

sim: $(SIM_STAMP) ## simulate the whole system in virtual time with faults, 60 s of seeds (SEED=n: replay one and print its end; RESTARTS=n: replay one with a restart after every event)
	@$(SIM) --seed "$(SEED)" --restarts "$(RESTARTS)"

sim-long: $(SIM_STAMP) ## run sim for MINUTES=, from seed FROM_SEED=
	@$(SIM) --minutes "$(MINUTES)" --from-seed "$(FROM_SEED)"

fleet-replay: $(SIM_STAMP) ## simulate a training run on a fleet with published failure rates, HOURS=24 GPUS=16384 CHECKPOINT=15m SPARES= SEED= (GANG_REPAIR=20 adds a run with this many replaceable members; CONTROLS=1 adds runs without the protections of Fairlead)
	@$(FLEET) --gpus "$(GPUS)" --hours "$(HOURS)" --checkpoint "$(CHECKPOINT)" --spares "$(SPARES)" --seed "$(SEED)" --controls "$(CONTROLS)" --gang-repair "$(GANG_REPAIR)" --resume "$(RESUME)"

pool-replay: $(SIM_STAMP) ## replay a public trace on a reserved, an on-demand and a spot cluster, and print cost, waits and spill of islands, cheapest first, reserved first and move back: TRACE=philly|openb|tiresias FROM= MOST=500 SHRINK=16 HOURS= MAX_RUN=12h PRICES=1.10/2.49/1.40 SPOT_AFTER=2m ON_DEMAND_AFTER=10m RECLAIMED=24h SEED= FILE= NODES=
	@$(POOLS) --trace "$(call given,TRACE)" --file "$(FILE)" --nodes "$(NODES)" --from "$(call given,FROM)" --most "$(MOST)" --shrink "$(SHRINK)" --hours "$(HOURS)" --max-run "$(call given,MAX_RUN)" --prices "$(PRICES)" --spot-after "$(SPOT_AFTER)" --on-demand-after "$(ON_DEMAND_AFTER)" --reclaimed "$(RECLAIMED)" --seed "$(SEED)"

# the simulation uses the in-memory twins of the tests, so it needs the test classes
$(SIM_STAMP): $(BUILD_INPUTS) $(shell find domain/src/test k8s-adapter/src/test verify/src/simulation verify/src/test)
	@echo "building the simulation ..."
	@$(MVN) $(QUIET) -pl verify -am process-test-classes
	@touch $@

chaos: build ## kill and pause two replicas, PostgreSQL and two control planes while 32 clients submit: KILLS= SUBMITS= CHAOS_SEED=; LEASES=production: kill only replicas, with production leases
	@$(VERIFY) dev.fairlead.verify.faults.chaos.ChaosMain --kills "$(KILLS)" --submits "$(SUBMITS)" --chaos-seed "$(CHAOS_SEED)" --leases "$(LEASES)"

two-versions: build ## run the version of tools/operate/older and this one on one database while 32 clients submit: two replicas are upgraded, then downgraded: SUBMITS= CHAOS_SEED=
	@older=$$(tools/operate/older) || { found=$$?; test $$found -eq 3 && echo "two-versions: skipped" && exit 0; exit $$found; }; \
	$(VERIFY) dev.fairlead.verify.faults.chaos.ChaosMain --kills 1 --submits "$(SUBMITS)" --chaos-seed "$(CHAOS_SEED)" --older "$$older"

operate: build ## check the operator surface row by row: rules, chart, scrape by a real Prometheus, trace in a real Zipkin, series, doctor, logs, restore, two versions; ONLY="scrape"
	@tools/operate/operate $(ONLY)

restore-test: build ## lose PostgreSQL while a real control plane continues, restore it to a point in time, and print steps, figures and a control that must be caught
	@tools/k8s/cluster.sh build
	@$(VERIFY) dev.fairlead.verify.faults.restore.RestoreRun

image: build ## build the container image fairlead:latest from the built jar (FAIRLEAD_IMAGE=, FAIRLEAD_BASE_IMAGE=)
	@tools/containers/image

dist: build ## build a release archive for machines without a JDK, a wheel and checksums in build/dist, and run the demo from the archive
	@tools/dist/dist

reproducible: ## build the commit twice and compare jars, bill of materials and image layers; names the first file that differs (ten minutes on two cores)
	@tools/dist/reproducible

release: ## cut release VERSION=1.2.0 from CHANGELOG.md on this machine: versions, date, archive, wheel, chart, OLM bundle, bill of materials, checksums, tag; pushes nothing; DRY_RUN=1 only shows the steps
	@DRY_RUN="$(DRY_RUN)" tools/release/release "$(VERSION)"

bench-image: image ## measure the start of the image, and its memory with 10,000 live jobs, against the goals (five minutes; needs a container engine)
	@tools/containers/bench-image

compose-smoke: image ## start docker-compose.yml, run a job through the published port, and remove everything
	@tools/containers/compose-smoke

openapi: ## write openapi/openapi.yaml and docs/reference/job-file.md from the running server (tests tagged "openapi")
	@$(MVN) $(QUIET) -pl api -am verify -Dgroups=openapi -Dfairlead.update=true

openapi-lint: ## check openapi/openapi.yaml with Redocly's strict rules (needs npm)
	@mkdir -p build
	@tools/suites/openapi && echo "openapi/openapi.yaml is clean"

console: ## test the pages of the console in a real Chromium (Debian's package if none is installed)
	@browser=$$(tools/browser/chromium.sh) && FAIRLEAD_BROWSER=$$browser $(MVN) $(QUIET) -pl api -am verify -Dtest=none -Dit.test='Console*IT' -DexcludedGroups=realnode
	@grep -h '^console' api/target/failsafe-reports/*-output.txt

fuzz: build ## run all checks and phases of Schemathesis against the running service for FUZZ_SECONDS=600
	@tools/fuzz $(FUZZ_SECONDS)

sdk: ## write the generated parts of sdk/python from openapi/openapi.yaml, and docs/reference/cli.md
	@tools/suites/python generate

screens: ## write the screens in docs/reference/console.md from a running make demo after its jobs have ended (FAIRLEAD_URL=)
	@tools/suites/python screens

recording: build ## record make demo ONCE=1 as docs/reference/demo.svg, the animation of the README
	@tools/recording/record

sdk-check: build ## run only the Python suite: types, lint, tests on a mocked and on the real service
	@tools/suites/python

airflow-check: build ## test only the Airflow provider, in a real Airflow of PyPI (part of make test-long)
	@FAIRLEAD_LONG=1 tools/suites/airflow

torchrun-check: $(SIM_STAMP) ## test only gang repair, with a real torchrun of PyPI (needs Linux and root; part of make test-long)
	@FAIRLEAD_LONG=1 tools/suites/torchrun

launchers: $(SIM_STAMP) ## run gangs with small trainings of the real frameworks from Debian and PyPI under their launchers, and print a table of launchers and cases; ONLY=mpi runs one of them (needs Linux and root; part of make test-long)
	@FAIRLEAD_LONG=1 tools/suites/launchers $(ONLY)

backends: build ## run jobs on clusters with kube-scheduler, Kueue's own controller and Coscheduling, and on Slurm, and print a table of backends and cases (needs Linux and Go; the first run builds them)
	@tools/backends/kueue.sh build && tools/backends/coscheduling.sh build && $(MVN) $(QUIET) -pl api -am verify -Dtest=none -Dit.test=BackendsIT,SlurmIT -DexcludedGroups=realnode
	@grep -h '^backend ' api/target/failsafe-reports/*{BackendsIT,SlurmIT}-output.txt

runtimes-check: $(SIM_STAMP) ## test runtimes of model services with a real MLServer of PyPI (part of make test-long)
	@FAIRLEAD_LONG=1 tools/suites/runtimes

notebooks-check: ## test session types with JupyterLab from PyPI and code-server from npm (part of make test-long)
	@FAIRLEAD_LONG=1 tools/suites/notebooks

clients-check: build ## test generated Python, TypeScript, Go and Java clients against the service (needs Go and npm; part of make test-long, and without Go and Java of make test with CI=true)
	@FAIRLEAD_LONG=1 tools/suites/clients

workflows-check: build ## test the flows of examples/workflows in the real Prefect, Dagster and Metaflow of PyPI, the Workflow of examples/argo in the real Argo Workflows, and the workflow of examples/ci; ONLY=Prefect runs one of them (part of make test-long)
	@FAIRLEAD_LONG=1 tools/suites/workflows $(ONLY)

logs-check: build ## read the output of real pods with Debian's rsyslog and the configurations of examples/logging, and query VictoriaLogs by job (needs Linux, root, Go; part of make test-long)
	@FAIRLEAD_LONG=1 tools/suites/logs

console-types: ## check the modules of the console against types of openapi/openapi.yaml with tsc (needs npm; part of make test with CI=true and of make test-long)
	@FAIRLEAD_LONG=1 tools/suites/console

services: build $(SIM_STAMP) ## measure rollouts, 500 services on four clusters, a full fleet, kills during rollouts, outages (FAIRLEAD_OUTAGE=PT10M: each of this duration), Traefik with the gate, and the first token of a model (builds Traefik once, minutes; needs Go, root, iproute2, PyPI)
	@tools/gateway/traefik.sh >/dev/null
	@$(MVN) $(QUIET) -pl api,verify -am -Dmaven.main.skip=true -DexcludedGroups=realnode -Dsurefire.failIfNoSpecifiedTests=false \
	  -Dfailsafe.failIfNoSpecifiedTests=false -Dtest=RolloutFiguresTest,ServiceFiguresTest,ServiceKillsTest -Dit.test=GatewayTrafficIT,ServiceGatewayIT \
	  process-test-classes surefire:test failsafe:integration-test failsafe:verify
	@grep -h '^figure services' domain/target/surefire-reports/*RolloutFiguresTest-output.txt service/target/surefire-reports/*ServiceFiguresTest-output.txt \
	  verify/target/surefire-reports/*ServiceKillsTest-output.txt k8s-adapter/target/failsafe-reports/*GatewayTrafficIT-output.txt api/target/failsafe-reports/*ServiceGatewayIT-output.txt
	@FAIRLEAD_LONG=1 tools/suites/runtimes

docs: ## write the generated pages of docs/ (tests tagged "generated-docs")
	@$(MVN) $(QUIET) test -Dgroups=generated-docs -Dfairlead.update=true

clean: ## delete all build output
	@rm -rf target build ./*/target tools/*/target
