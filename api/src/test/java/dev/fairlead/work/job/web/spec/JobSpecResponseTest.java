package dev.fairlead.work.job.web.spec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.body.ValueTexts;
import dev.fairlead.work.spec.JobSpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class JobSpecResponseTest {
  private static final JsonMapper MAPPER = JsonMapper.builder().addModule(new ValueTexts()).build();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "image: ubuntu",
        "{image: ubuntu, run: 'echo a && echo b', gpu: 'H100:8', workers: 4, minWorkers: 2,"
            + " topology: prefer block}",
        "{image: x, launcher: torchrun, run: 'train.py --x', gpu: {model: [A100, H100], fraction:"
            + " 0.25, minMemory: 40Gi}}",
        "{image: x, launcher: torchrun, run: [train.py, --x], gpu: {memory: 10Gi}}",
        "{image: x, launcher: torchrun, args: [train.py]}",
        "{image: x, command: [a], args: [b, c], gpu: {mig: 1g.10gb}, cpu: 500m, memory: 1500Mi,"
            + " shm: 100Mi, rdma: true}",
        "{image: x, roles: [{name: a, cpu: 2}, {name: worker, count: 3, gpu: 1, topology: rack,"
            + " run: [b], env: {A: b}}]}",
        "{image: x, roles: [{name: worker, topology: rack}]}",
        "{image: x, env: {A: b}, secretEnv: {B: {secret: s, key: k}}, array: 0-99%8, labels: {team:"
            + " nlp}}",
        "{image: x, workers: 4, segment: {size: 2, level: rack}, spread: {level: host,"
            + " maxPerDomain: 1}, numa: REQUIRED}",
        "{image: x, class: noisy, avoidClasses: [quiet], placement: {clusters: [eu-1], capacity:"
            + " [SPOT], wait: {SPOT: 90s}, maxPricePerGpuHour: 3.2, currency: EUR}}",
        "{image: x, maxRuntime: 8h, placement: {maxCost: 30, currency: USD}}",
        "{image: x, labels: {app: web}, placement: {near: [{jobs: {app: cache, tier: one}, within:"
            + " rack}], away: [{jobs: {app: web}}]}}",
        "{image: x, maxRuntime: 48h, notBefore: '2030-01-01T00:00:00Z', deadline:"
            + " '2030-02-01T00:00:00+01:00'}",
        "{image: x, dependsOn: [job_01k00000000000000000000000], onDependencyFailure: WAIT,"
            + " volumes: [{claim: c, mountPath: /data, readOnly: true}]}",
        "{image: x, run: a, workers: 4, launcher: torchrun, gangRepair: {max: 3}}",
        "{image: x, preemption: {allowed: false, gracePeriod: 2m, minRuntime: 1h,"
            + " checkpointTimeout: 90s}, retry: {maxAttempts: 1, on: []}}",
        "{image: x, initContainers: [{name: a, image: b, mounts: [/tmp]}], sidecars: [{name: c, image:"
            + " d, run: e, env: {F: g}, cpu: 2, memory: 1Gi, port: 80}]}",
        "{image: x, run: [a], setup: [b, \"c\\nd\"]}",
        "{image: x, run: a, setup: b, roles: [{name: a}, {name: b, setup: []}, {name: c, setup: [d]}]}",
        "{image: x, licences: {ansys: 2, matlab: 1}}",
        "{image: x, onUnreachable: ALLOW_OVERLAP, priorityClass: urgent, annotations:"
            + " {sim.fairlead.dev/outcome: oom}}"
      })
  void anExpandedSpecSubmittedAgainIsTheSameSpec(String yaml) {
    JobSpec spec = Specs.spec(yaml);

    String expanded = MAPPER.writeValueAsString(JobSpecResponse.of(spec.named("a", "q")));

    assertThat(Specs.spec(expanded)).isEqualTo(spec.named("a", "q"));
  }
}
