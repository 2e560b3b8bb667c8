package dev.fairlead.verify.simulation.front;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.workload.kubernetes.kind.KindObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * The controller of the objects: it works on the spec that it has read, creates and deletes pods by
 * it, and reports afterwards. Each of these steps takes time, and longer with a slow controller.
 */
public final class InPlaceController {
  private static final Duration QUICK = Duration.ofMillis(600);
  private static final Duration SLOW = Duration.ofSeconds(20);
  private static final Duration LONGEST_END = Duration.ofSeconds(40);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final InPlaceServer server;
  private final Set<String> working = new HashSet<>();
  private final Set<String> again = new HashSet<>();
  private final Map<String, String> endings = new TreeMap<>();
  private final Map<String, Run> runs = new HashMap<>();
  private boolean slow;
  private boolean absent;

  /** Run time of an object's pods, and its end. */
  record Run(Duration time, String ending) {}

  InPlaceController(RandomGenerator chance, VirtualTime time, InPlaceServer server) {
    this.chance = chance;
    this.time = time;
    this.server = server;
    server.controlledBy(this::changed);
  }

  void expect(String uid, Run run) {
    runs.put(uid, run);
  }

  void slow(boolean now) {
    slow = now;
  }

  /** An absent controller finishes the object at which it works, and begins no other. */
  void absent(boolean now) {
    absent = now;
    if (!now) {
      List.copyOf(again)
          .forEach(uid -> {
            again.remove(uid);
            changed(uid);
          });
    }
  }

  private Duration step() {
    return time.between(Duration.ofMillis(10), slow ? SLOW : QUICK);
  }

  private void changed(String uid) {
    if (absent || !working.add(uid)) {
      again.add(uid);
      return;
    }
    time.in(step(), "controller reads", () -> reads(uid));
  }

  private void reads(String uid) {
    ObjectNode is = server.tree(uid);
    if (is == null) {
      server.podsOf(uid).forEach(this::ends); // by the garbage collector
      done(uid);
      return;
    }
    if (InPlaceServer.deleting(is)) {
      done(uid);
      return;
    }
    JsonNode read = is.deepCopy();
    time.in(
        step(),
        "controller acts",
        () -> {
          acts(uid, read);
          time.in(
              step(),
              "controller reports",
              () -> {
                reports(uid, read);
                done(uid);
              });
        });
  }

  private void done(String uid) {
    working.remove(uid);
    if (!absent && again.remove(uid)) {
      changed(uid);
    }
  }

  private void acts(String uid, JsonNode read) {
    boolean stops = read.at("/spec/suspend").asBoolean() || endings.containsKey(uid);
    if (stops) {
      server.podsOf(uid).forEach(this::ends);
    } else if (server.podsOf(uid).isEmpty() && server.tree(uid) != null) {
      starts(uid, read);
    }
  }

  private void ends(String pod) {
    time.in(
        time.between(Duration.ofMillis(10), LONGEST_END),
        "a pod ends",
        () -> {
          InPlaceServer.Pod ended = server.pods().get(pod);
          server.end(pod);
          if (ended != null) {
            changed(ended.owner());
          }
        });
  }

  private void starts(String uid, JsonNode read) {
    JsonNode template = read.at("/spec/replicatedJobs/0/template/spec/template");
    String names = template.at("/metadata/annotations").path(KindObject.NODES).asText();
    List<String> nodes = names.isEmpty() ? List.of() : List.of(names.split(","));
    String attempt = template.at("/metadata/labels").path("fairlead.dev/reserved-by").asText();
    List<String> created = new ArrayList<>();
    for (int i = 0; i < read.at("/spec/replicatedJobs/0/replicas").asInt(); i++) {
      String name = uid + "-" + i + "-" + chance.nextInt(1 << 20);
      String node = nodes.isEmpty() ? "" : nodes.get(i % nodes.size());
      server.start(name, new InPlaceServer.Pod(uid, attempt, node));
      created.add(name);
    }
    Run run = runs.getOrDefault(uid, new Run(Duration.ofMinutes(1), "Completed"));
    time.in(run.time(), "programs of an object end", () -> finish(uid, created, run));
  }

  private void finish(String uid, List<String> pods, Run run) {
    ObjectNode is = server.tree(uid);
    boolean whole = server.pods().keySet().containsAll(pods);
    if (is != null && whole && !is.at("/spec/suspend").asBoolean()) {
      pods.forEach(server::end);
      endings.put(uid, run.ending());
      changed(uid);
    }
  }

  private void reports(String uid, JsonNode read) {
    String ending = endings.get(uid);
    if (ending != null) {
      server.report(uid, ending, true);
    } else {
      server.report(uid, "Suspended", read.at("/spec/suspend").asBoolean());
    }
  }
}
