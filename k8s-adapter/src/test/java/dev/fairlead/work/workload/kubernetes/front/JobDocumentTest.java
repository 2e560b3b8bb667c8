package dev.fairlead.work.workload.kubernetes.front;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.SeenJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The requests of a Job as the fields of a job's spec, and the requests that are refused. */
class JobDocumentTest {
  /** As an API server returns it: with its defaults. */
  private static final String JOB =
      """
      apiVersion: batch/v1
      kind: Job
      metadata:
        name: train
        namespace: team-a
        uid: 0b5e1c1a-8f0e-4a56-9c39-0f3c6f6f2f10
        resourceVersion: "7"
        labels: {fairlead.dev/queue: research, fairlead.dev/priority-class: high, app: x}
      spec:
        managedBy: fairlead.dev/job
        backoffLimit: 2
        activeDeadlineSeconds: 600
        completionMode: NonIndexed
        completions: 1
        parallelism: 1
        manualSelector: false
        podReplacementPolicy: TerminatingOrFailed
        suspend: false
        ttlSecondsAfterFinished: 60
        selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}
        template:
          metadata:
            creationTimestamp: null
            annotations: {sim.fairlead.dev/run-for: 1s}
            labels: {team: vision, controller-uid: u, job-name: train, batch.kubernetes.io/job-name: train}
          spec:
            dnsPolicy: ClusterFirst
            restartPolicy: Never
            schedulerName: default-scheduler
            securityContext: {}
            terminationGracePeriodSeconds: 45
            nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3, zone: a}
            tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]
            containers:
            - name: train
              image: registry.example.com/train:1
              imagePullPolicy: IfNotPresent
              command: [python, train.py]
              args: [--epochs, $(EPOCHS), $(date), $$(EPOCHS)]
              terminationMessagePath: /dev/termination-log
              terminationMessagePolicy: File
              securityContext: {allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: {drop: [ALL]}}
              env:
              - {name: EPOCHS, value: "3"}
              - {name: TWICE, value: "$(EPOCHS)$(EPOCHS)"}
              - {name: TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}
              resources:
                limits: {nvidia.com/gpu: 8, memory: 128Gi}
                requests: {nvidia.com/gpu: 8, memory: 128Gi, cpu: 32}
      """;

  private static FrontRequest of(String yaml) {
    return JobDocument.of(Serialization.unmarshal(yaml, Job.class));
  }

  private static String document(String yaml) {
    return of(yaml) instanceof FrontRequest.Document(String json) ? json : of(yaml).toString();
  }

  @Test
  void everySupportedFieldIsTranslated() {
    assertThat(document(JOB))
        .contains(
            "\"queue\":\"research\"",
            "\"priorityClass\":\"high\"",
            "\"maxRuntime\":\"600s\"",
            "\"maxAttempts\":3",
            "\"labels\":{\"team\":\"vision\"}",
            "\"annotations\":{\"sim.fairlead.dev/run-for\":\"1s\"}",
            "\"gracePeriod\":\"45s\"",
            "\"nodeLabels\":{\"zone\":\"a\"}",
            "\"image\":\"registry.example.com/train:1\"",
            "\"command\":[\"python\",\"train.py\"]",
            "\"env\":{\"EPOCHS\":\"3\",\"TWICE\":\"33\"}",
            "\"secretEnv\":{\"TOKEN\":{\"secret\":\"hub\",\"key\":\"token\"}}",
            "\"gpu\":{\"model\":\"H100\",\"count\":8}",
            "\"cpu\":\"32\"",
            "\"memory\":\"128Gi\"")
        .doesNotContain("array", "controller-uid");
  }

  /**
   * Fails when a Job for slices requests whole GPUs, or an amount in another format is rejected.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NVIDIA-H100-80GB-HBM3, zone | NVIDIA-A100-SXM4-40GB-MIG-1g.5gb, zone |"
            + " \"gpu\":{\"model\":\"A100-40GB\",\"mig\":{\"profile\":\"1g.5gb\",\"count\":8}}",
        "requests: {nvidia.com/gpu: 8, memory: 128Gi | requests: {nvidia.com/gpu: 8e0, memory:"
            + " 131072Mi | \"gpu\":{\"model\":\"H100\",\"count\":8}",
        "memory: 128Gi} | memory: 137438953472}| \"memory\":\"128Gi\""
      })
  void slicesAndAmountsInAnyFormAreRead(String before, String after, String said) {
    String yaml = JOB.replace(before, after);
    assertThat(yaml).isNotEqualTo(JOB);
    assertThat(document(yaml)).contains(said);
  }

  /** Fails when texts are expanded differently from a kubelet. */
  @Test
  void variablesInTextsAreReplacedAsAKubeletDoes() {
    assertThat(document(JOB)).contains("\"args\":[\"--epochs\",\"3\",\"$(date)\",\"$(EPOCHS)\"]");
  }

  /** Fails when a Job whose new spec cannot be translated counts as deleted and ends its job. */
  @Test
  void unsupportedJobIsStillListed() {
    Job strange = Serialization.unmarshal(JOB, Job.class);
    String uid = strange.getMetadata().getUid();
    strange.getMetadata().setFinalizers(Collections.nCopies(31, "example.com/mine"));

    assertThat(ShownJob.of(strange, "here")).isNull();
    assertThat(ShownJob.asks(strange, uid)).isTrue();
    assertThat(ShownJob.asks(strange, "another")).isFalse();
    strange.getSpec().setManagedBy("example.com/other");
    assertThat(ShownJob.asks(strange, uid)).isFalse();
  }

  /** Fails when variables that refer to each other twice fill the memory of the process. */
  @Test
  void expandedTextsAboveTheSizeOfAJobAreRejected() {
    StringBuilder doubling = new StringBuilder();
    for (int i = 1; i < 60; i++) {
      String twice = "$(V%d)".formatted(i - 1).repeat(2);
      doubling.append("- {name: V%d, value: \"%s\"}\n        ".formatted(i, twice));
    }
    String first = "- {name: V0, value: xxxxxxxxxxxxxxxx}\n        ";
    FrontRequest grown = of(JOB.replace("- {name: EPOCHS", first + doubling + "- {name: EPOCHS"));
    FrontRequest many =
        of(
            JOB.replace(
                "args: [--epochs,",
                "args: [" + "$(TWICE)$(TWICE)$(TWICE)$(TWICE), ".repeat(40_000)));

    assertThat(grown)
        .isInstanceOfSatisfying(
            FrontRequest.Inexpressible.class,
            not -> {
              assertThat(not.field()).startsWith("spec.template.spec.containers[0].env[");
              assertThat(not.why()).satisfies(reason("job-document.exceeds-limits-job"));
            });
    assertThat(many)
        .isInstanceOfSatisfying(
            FrontRequest.Inexpressible.class,
            not -> assertThat(not.field()).isEqualTo("spec.template.spec.containers[0].args"));
  }

  @Test
  void completionsAreElementsAndParallelismIsTheirConcurrency() {
    String many = JOB.replace("completions: 1", "completions: 5");
    assertThat(document(many)).contains("\"array\":\"0-4%1\"");
    assertThat(document(many.replace("parallelism: 1", "parallelism: 9")))
        .contains("\"array\":\"0-4\"");
  }

  @Test
  void backoffLimitPerIndexAppliesToEachElement() {
    String indexed =
        JOB.replace("completionMode: NonIndexed", "completionMode: Indexed")
            .replace("completions: 1", "completions: 4")
            .replace("backoffLimit: 2", "backoffLimit: 2147483647\n  backoffLimitPerIndex: 1");
    assertThat(document(indexed)).contains("\"maxAttempts\":2", "\"array\":\"0-3%1\"");
    ShownJob shown = ShownJob.of(Serialization.unmarshal(indexed, Job.class), "me");
    assertThat(shown.seen().endsEarly()).isFalse();
    assertThat(shown.indexes()).isEqualTo("0-3");
  }

  /** Fails when a field is dropped that a job cannot express. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "completionMode: NonIndexed | completionMode: Other | spec.completionMode",
        "completions: 1 | completions: 10001 | spec.completions",
        "parallelism: 1 | parallelism: 0 | spec.parallelism",
        "backoffLimit: 2 | backoffLimit: 20 | spec.backoffLimit",
        "manualSelector: false | manualSelector: true | spec.manualSelector",
        "suspend: false | backoffLimitPerIndex: 2 | spec.backoffLimit",
        "suspend: false | maxFailedIndexes: 2 | spec.maxFailedIndexes",
        "suspend: false | unheardOf: 2 | spec.unheardOf",
        "suspend: false | podFailurePolicy: {rules: [{action: Ignore}]} | spec.podFailurePolicy",
        "dnsPolicy: ClusterFirst | hostNetwork: true | spec.template.spec.hostNetwork",
        "dnsPolicy: ClusterFirst | dnsPolicy: None | spec.template.spec.dnsPolicy",
        "dnsPolicy: ClusterFirst | serviceAccountName: admin |"
            + " spec.template.spec.serviceAccountName",
        "dnsPolicy: ClusterFirst | initContainers: [{name: i}] | spec.template.spec.initContainers",
        "dnsPolicy: ClusterFirst | volumes: [{name: v}] | spec.template.spec.volumes",
        "dnsPolicy: ClusterFirst | affinity: {nodeAffinity: {x: 1}} | spec.template.spec.affinity",
        "securityContext: {} | securityContext: {runAsUser: 0} |"
            + " spec.template.spec.securityContext.runAsUser",
        "operator: Exists, effect | operator: Exists, x | spec.template.spec.tolerations[0].x",
        "NVIDIA-H100-80GB-HBM3, | Tesla-T4-SHARED, |"
            + " spec.template.spec.containers[0].resources.limits.nvidia.com/gpu",
        "NVIDIA-H100-80GB-HBM3, | NVIDIA-A10-4Q, |"
            + " spec.template.spec.containers[0].resources.limits.nvidia.com/gpu",
        "key: nvidia.com/gpu, | key: spot, | spec.template.spec.tolerations[0].key",
        "imagePullPolicy: IfNotPresent | imagePullPolicy: Never |"
            + " spec.template.spec.containers[0].imagePullPolicy",
        "imagePullPolicy: IfNotPresent | livenessProbe: {exec: {command: [x]}} |"
            + " spec.template.spec.containers[0].livenessProbe",
        "memory: 128Gi, cpu: 32 | memory: 64Gi, cpu: 32 |"
            + " spec.template.spec.containers[0].resources.limits.memory",
        "memory: 128Gi, cpu: 32 | ephemeral-storage: 1Gi |"
            + " spec.template.spec.containers[0].resources.requests.ephemeral-storage",
        "secretKeyRef: {name: hub | fieldRef: {name: hub |"
            + " spec.template.spec.containers[0].env[2].valueFrom.fieldRef",
        "name: TWICE | name: EPOCHS | spec.template.spec.containers[0].env[1].name",
        "[python, train.py] | [python, $(TOKEN)] | spec.template.spec.containers[0].command",
        "fairlead.dev/queue | fairlead.dev/queu | metadata.labels.fairlead.dev/queu"
      })
  void unsupportedFieldsAreNamed(String before, String after, String field) {
    String yaml = JOB.replace(before, after);
    assertThat(yaml).isNotEqualTo(JOB);
    assertThat(of(yaml))
        .isInstanceOfSatisfying(
            FrontRequest.Inexpressible.class, not -> assertThat(not.field()).isEqualTo(field));
  }

  @Test
  void aJobOfAnotherControllerIsNotSeen() {
    Job ours = Serialization.unmarshal(JOB, Job.class);
    Job theirs = Serialization.unmarshal(JOB.replace("fairlead.dev/job", "x.dev/y"), Job.class);

    assertThat(ShownJob.of(ours, "me").seen().foreign()).isFalse();
    assertThat(ShownJob.of(theirs, "me")).isNull();
    assertThat(SeenJob.MANAGER).isEqualTo("fairlead.dev/job");
  }

  /** Fails when two installations run one Job. */
  @Test
  void jobAdoptedByAnotherInstallationIsForeign() {
    Job taken =
        Serialization.unmarshal(
            JOB.replace(
                "  labels: {fairlead.dev/queue",
                "  finalizers: [fairlead.dev/job]\n"
                    + "  annotations: {fairlead.dev/installation: them}\n"
                    + "  labels: {fairlead.dev/queue"),
            Job.class);

    assertThat(ShownJob.of(taken, "me").seen().foreign()).isTrue();
    assertThat(ShownJob.of(taken, "them").seen().foreign()).isFalse();
  }
}
