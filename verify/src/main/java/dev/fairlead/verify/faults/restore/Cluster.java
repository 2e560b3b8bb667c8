package dev.fairlead.verify.faults.restore;

import dev.fairlead.verify.faults.chaos.AuditTrail;
import dev.fairlead.verify.faults.chaos.ControlPlane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The cluster from an operator's view, independent of the service: its pods, its fence, its audit
 * log.
 */
final class Cluster implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String PREFIX = "fairlead.dev/";
  private final ControlPlane plane;

  Cluster(ControlPlane plane) {
    this.plane = plane;
  }

  /**
   * One pod of Fairlead.
   *
   * @param job bare id from its label
   * @param uid another one means that it was created again
   */
  record Pod(String namespace, String name, String job, String attempt, String uid, String phase) {}

  String name() {
    return plane.name();
  }

  String kubeconfig() {
    return plane.kubeconfig();
  }

  List<Pod> pods() {
    String all = plane.kubectl("get", "pods", "-A", "-l", PREFIX + "job", "-o", "json");
    List<Pod> pods = new ArrayList<>();
    for (JsonNode pod : JSON.readTree(all).path("items")) {
      JsonNode meta = pod.path("metadata");
      JsonNode labels = meta.path("labels");
      pods.add(
          new Pod(
              meta.path("namespace").asString(),
              meta.path("name").asString(),
              labels.path(PREFIX + "job").asString(),
              labels.path(PREFIX + "attempt").asString(),
              meta.path("uid").asString(),
              pod.at("/status/phase").asString("")));
    }
    return pods;
  }

  /** Deletes a pod by hand, as the page on restores describes for attempts that are not stored. */
  void end(Pod pod) {
    String patch = "{\"metadata\":{\"finalizers\":null}}";
    plane.kubectl("-n", pod.namespace(), "patch", "pod", pod.name(), "--type=merge", "-p", patch);
    plane.kubectl(
        "-n", pod.namespace(), "delete", "pod", pod.name(), "--force", "--ignore-not-found");
  }

  /** Deletes every trace of databases on the cluster: the control of the restore test. */
  void forget() {
    plane.kubectl("-n", "fairlead-system", "delete", "configmap", "fairlead-fence");
  }

  /**
   * Changes by the service in the namespaces of projects since then. None is allowed while the
   * cluster is read-only.
   */
  List<String> changesSince(Instant since) {
    try (Stream<String> lines = Files.lines(plane.auditLog(), StandardCharsets.UTF_8)) {
      return lines
          .filter(line -> line.endsWith("}"))
          .map(JSON::readTree)
          .filter(event -> Instant.parse(event.path("stageTimestamp").asString()).isAfter(since))
          .filter(event -> event.path("userAgent").asString("").startsWith("fairlead"))
          .filter(event -> !system(event.at("/objectRef/namespace").asString("fairlead-system")))
          .map(event ->
              "%s %s %s"
                  .formatted(
                      event.path("verb").asString(),
                      event.at("/objectRef/resource").asString(),
                      event.at("/objectRef/name").asString("")))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean system(String namespace) {
    return namespace.equals("fairlead-system");
  }

  /** Attempts that ran twice at the same time, by the whole audit log, empty if none. */
  List<String> twice() {
    AuditTrail trail = new AuditTrail();
    trail.read(plane.name(), plane.auditLog());
    List<String> wrong = new ArrayList<>(trail.wrong());
    if (trail.created() == 0) {
      wrong.add("the audit log names no pod of ours: nothing was judged");
    }
    return wrong;
  }

  @Override
  public void close() {
    plane.close();
  }
}
