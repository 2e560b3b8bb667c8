package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.StartFailed;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Restarts the node of an example's member while its first attempt runs, for examples with {@code
 * outcome: node-reboot}. A simulated cluster does this itself. Nodes of a real control plane need
 * this class.
 */
final class NodeRestarts implements Demo.Meanwhile {
  private static final String RESTARTS = "outcome: node-reboot";
  private static final Pattern MEMBER = Pattern.compile("sim\\.fairlead\\.dev/members: (\\S+)");
  private final FairleadApi api;
  private final Consumer<String> restart;
  private final Set<String> done = new TreeSet<>();

  /**
   * @param restart takes the name of the node
   */
  NodeRestarts(FairleadApi api, Consumer<String> restart) {
    this.api = api;
    this.restart = restart;
  }

  @Override
  public void seen(Example example, JobLine job) {
    Matcher member = MEMBER.matcher(example.yaml());
    if (example.yaml().contains(RESTARTS)
        && member.find()
        && job.state().equals("RUNNING")
        && job.attempts() == 1
        && done.add(job.id())) {
      restart.accept(node(job.id(), member.group(1)));
    }
  }

  private String node(String job, String member) {
    for (JsonNode attempt : api.get("/jobs/" + job + "/attempts").path("items")) {
      for (JsonNode pod : attempt.path("members")) {
        if (member.equals(pod.path("role").asString("") + "-" + pod.path("index").asInt(0))) {
          return pod.path("node").asString("");
        }
      }
    }
    throw new StartFailed("job " + job + " has no member " + member);
  }
}
