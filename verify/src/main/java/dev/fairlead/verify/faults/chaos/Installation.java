package dev.fairlead.verify.faults.chaos;

import dev.fairlead.launcher.LoopbackPorts;
import dev.fairlead.launcher.WorkTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** All running components: one database, two control planes, two replicas of the service. */
record Installation(PostgresServer postgres, List<ControlPlane> clusters, List<Replica> replicas)
    implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /**
   * Starts all components. After a failure the started ones are stopped.
   *
   * @param classpath classpath of the version that both replicas run
   */
  static Installation start(ChaosArguments arguments, String classpath)
      throws InterruptedException {
    Path scratch = WorkTree.scratch("chaos");
    TenantResources.clear(scratch);
    List<ControlPlane> clusters = new ArrayList<>();
    List<Replica> replicas = new ArrayList<>();
    Installation installation =
        new Installation(PostgresServer.start(LoopbackPorts.anyPort()), clusters, replicas);
    try {
      for (String name : List.of("a", "b")) { // the first one creates the schema and the key file
        replicas.add(
            new Replica(
                name,
                LoopbackPorts.any(),
                installation.postgres(),
                scratch,
                arguments.production(),
                classpath));
        clusters.add(ControlPlane.start("chaos-" + name, arguments.nodes()));
        replicas.getLast().awaitReady();
      }
      return installation;
    } catch (RuntimeException | InterruptedException failed) {
      installation.close();
      throw failed;
    }
  }

  /** A queue with limits that are never reached. */
  private static final String QUEUE =
      """
      {"name": "%s", "parent": "root", "queue": {}, "limits": [
        {"flavor": "H100/RESERVED", "resource": "gpu", "nominal": 10000},
        {"flavor": "H100/RESERVED", "resource": "cpu", "nominal": 100000},
        {"flavor": "H100/RESERVED", "resource": "memory", "nominal": "1000Ti"}]}
      """
          .formatted(JobKind.LIMITED_QUEUE);

  /** Registers the control planes, and creates the queue whose use is counted separately. */
  void register(Client client, Random random) throws InterruptedException {
    for (ControlPlane cluster : clusters) {
      ObjectNode body = JSON.createObjectNode();
      body.put("name", cluster.name()).put("kubeconfig", cluster.kubeconfig());
      Client.Answer answer = client.post("/clusters", JSON.writeValueAsString(body), null, random);
      if (answer.status() != 201) {
        throw new IllegalStateException("the cluster was not taken: " + answer);
      }
    }
    Client.Answer queue = client.post("/quotas", QUEUE, null, random);
    if (queue.status() != 201) {
      throw new IllegalStateException("the queue was not made: " + queue);
    }
  }

  @Override
  public void close() {
    replicas.forEach(Replica::close);
    clusters.forEach(ControlPlane::close);
    postgres.close();
  }
}
