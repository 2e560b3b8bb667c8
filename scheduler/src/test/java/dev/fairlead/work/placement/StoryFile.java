package dev.fairlead.work.placement;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads and plays a file of {@code scenarios}: clusters, queues and jobs line by line, then steps,
 * each followed by all that the engine decides. A line is a subject with clauses after commas. An
 * error names the line that is not understood.
 */
final class StoryFile {
  private final Scene scene = new Scene();
  private final SortedMap<String, QuotaNodeId> queues = new TreeMap<>();
  private final SortedMap<String, JobBuilder> jobs = new TreeMap<>();
  private final List<String> told = new ArrayList<>();
  private NodeBuilder nodes;
  private Story story;

  /** The same story with the actual decisions of the engine below each {@code plan}. */
  static List<String> retold(List<String> lines) {
    StoryFile file = new StoryFile();
    for (String line : lines) {
      if (!line.startsWith("  > ")) {
        file.told.add(line);
        file.play(line);
      }
    }
    return file.told;
  }

  private void play(String line) {
    int colon = line.contains(": ") ? line.indexOf(": ") : line.length();
    String subject = line.substring(0, colon).strip();
    List<String> clauses =
        colon == line.length() ? List.of() : List.of(line.substring(colon + 2).split(", "));
    String[] words = subject.split(" ");
    switch (words[0]) {
      case "", "#" -> {}
      case "cluster" -> cluster(words[1], clauses);
      case "nodes" -> clauses.forEach(this::nodes);
      case "queue" -> queue(words[1], clauses);
      case "group" -> {
        queues.put(words[1], scene.queue(words[1], parent(clauses), null, limits(clauses)));
        if (clauses.contains("divides")) {
          scene.divides(queues.get(words[1]));
        }
      }
      case "job" -> scene.jobs.add(job(words[1], clauses));
      case "comes" -> story.submit(job(words[1], clauses).age(-elapsedSeconds()));
      case "goes" -> story.withdraw(jobs.get(words[1]));
      case "ends" -> story.ends(jobs.get(words[1]));
      case "fails" -> story.fails(jobs.get(words[1]), FailureCause.valueOf(clauses.getFirst()));
      case "leaves" -> story.leaves(jobs.get(words[1]));
      case "shrinks" -> story.shrinks(jobs.get(words[1]));
      case "limits" -> story.limits(queues.get(words[1]), limits(clauses));
      case "asks" -> {
        clauses.forEach(clause -> wish(jobs.get(words[1]), clause));
        story.asks(jobs.get(words[1]));
      }
      case "cordons" -> story.cordons(words[1]);
      case "saves" -> story.saves(jobs.get(words[1]));
      case "passes" -> story.pass(Duration.parse("PT" + words[1]));
      case "plan" -> {
        story = story == null ? new Story(scene) : story;
        new PlanWords(story.plan()).lines().forEach(l -> told.add("  > " + l));
      }
      default -> throw unknown(line);
    }
  }

  private int elapsedSeconds() {
    return (int) Duration.between(Scene.NOW, story.world().asOf()).toSeconds();
  }

  private static IllegalArgumentException unknown(String what) {
    return new IllegalArgumentException("not understood: " + what);
  }

  private void cluster(String name, List<String> clauses) {
    nodes =
        scene.cluster(
            name,
            clauses.contains("degraded") ? ClusterState.DEGRADED : ClusterState.ACTIVE,
            clauses.contains("on-demand") ? CapacityType.ON_DEMAND : CapacityType.RESERVED,
            clauses.contains("sharing"));
    if (clauses.contains("cuts GPUs")) {
      scene.cuts(name);
    }
    if (clauses.contains("spreads")) {
      scene.spreads(name);
    }
    if (clauses.contains("consolidates")) {
      scene.consolidates(name);
    }
    Duration from = time("from ", clauses);
    Duration until = time("until ", clauses);
    if (from != null || until != null) {
      scene.window(name, from, until);
    }
  }

  /** Since the beginning of the story, null without such a clause. */
  private static Duration time(String word, List<String> clauses) {
    return clauses.stream()
        .filter(clause -> clause.startsWith(word))
        .map(clause -> Duration.parse("PT" + clause.substring(word.length())))
        .findFirst()
        .orElse(null);
  }

  private void nodes(String clause) {
    Matcher of = match("(\\d+) of (\\d+) (\\S+)", clause);
    if (of != null) {
      nodes.nodes(number(of, 1), number(of, 2), of.group(3));
    } else if (clause.startsWith("rack ")) {
      nodes.rack(clause.substring(5));
    } else if (clause.equals("cordoned")) {
      nodes.state(NodeState.CORDONED);
    } else {
      throw unknown(clause);
    }
  }

  private void queue(String name, List<String> clauses) {
    long weight = 1000;
    QueueSettings.Order order = QueueSettings.Order.BEST_EFFORT_FIFO;
    QueueSettings.State state = QueueSettings.State.ACTIVE;
    PreemptionRules.WithinQueue within = PreemptionRules.WithinQueue.NEVER;
    PreemptionRules.Reclaim reclaim = PreemptionRules.Reclaim.NEVER;
    for (String clause : clauses) {
      switch (clause.split(" ")[0]) {
        case "weight" -> weight = Long.parseLong(clause.substring(7)) * 1000;
        case "strict" -> order = QueueSettings.Order.STRICT_FIFO;
        case "held" -> state = QueueSettings.State.HELD;
        case "evicts" -> within = PreemptionRules.WithinQueue.LOWER_PRIORITY;
        case "reclaims" -> reclaim = PreemptionRules.Reclaim.ANY;
        case "below", "owns", "fairly" -> {}
        default -> throw unknown(clause);
      }
    }
    QueueSettings settings = QueueSettings.of(order, state, null);
    queues.put(name, scene.queue(name, parent(clauses), settings, weight, limits(clauses)));
    boolean fair = clauses.contains("fairly");
    scene.preempts(queues.get(name), new PreemptionRules(within, reclaim, fair));
  }

  private @Nullable QuotaNodeId parent(List<String> clauses) {
    return clauses.stream()
        .filter(clause -> clause.startsWith("below "))
        .map(clause -> queues.get(clause.substring(6)))
        .findFirst()
        .orElse(null);
  }

  /** {@code owns 8 H100 borrowing 4}: all resources except the GPU are plentiful. */
  private static QuotaLimit[] limits(List<String> clauses) {
    List<QuotaLimit> limits = new ArrayList<>();
    for (String clause : clauses) {
      Matcher owns = match("owns (\\d+) (\\S+?)(?: borrowing (\\d+))?(?: lending (\\d+))?", clause);
      if (owns != null) {
        Flavor flavor = new Flavor(owns.group(2), CapacityType.RESERVED);
        long gpus = number(owns, 1) * 1000L;
        limits.add(new QuotaLimit(flavor, "gpu", gpus, milli(owns, 3), milli(owns, 4)));
      }
    }
    return limits.toArray(QuotaLimit[]::new);
  }

  private static Long milli(Matcher of, int group) {
    return of.group(group) == null ? null : Long.valueOf(number(of, group) * 1000L);
  }

  private JobBuilder job(String name, List<String> clauses) {
    JobBuilder job = new JobBuilder(name, jobs.size() + 1, scene.quotas.getFirst().id());
    job.age(3600 - jobs.size());
    jobs.put(name, job);
    clauses.forEach(clause -> wish(job, clause));
    return job;
  }

  private void wish(JobBuilder job, String clause) {
    Matcher members =
        match("(?:(\\d+) to )?(?:(\\d+) x )?(\\d+|0\\.\\d) ([AH]\\d+|L4|GPUs?)", clause);
    Matcher time = match("(at most|at least) (\\S+)", clause);
    if (members != null) {
      int most = members.group(2) == null ? 1 : number(members, 2);
      job.elastic(members.group(1) == null ? most : number(members, 1), most);
      job.gpu(gpu(members.group(3), members.group(4)));
    } else if (time != null) {
      Duration length = Duration.parse("PT" + time.group(2));
      JobBuilder _ =
          time.group(1).equals("at most") ? job.maxRuntime(length) : job.minRuntime(length);
    } else if (clause.startsWith("in queue ")) {
      job.queue(clause.substring(9), queues.get(clause.substring(9)));
    } else if (clause.startsWith("priority ")) {
      job.priority(PriorityClass.valueOf(clause.substring(9)));
    } else if (clause.startsWith("in one ")) {
      job.inOne(clause.substring(7));
    } else if (match("segments of (\\d+) in one (\\S+)", clause) != null) {
      Matcher segment = match("segments of (\\d+) in one (\\S+)", clause);
      job.segment(number(segment, 1), segment.group(2));
    } else if (match("(\\d+) x slice (\\S+)", clause) != null) {
      Matcher slices = match("(\\d+) x slice (\\S+)", clause);
      job.gpu(
          new GpuRequest(
              GpuRequest.Kind.MIG, number(slices, 1), 0, 0, slices.group(2), List.of(), 0));
    } else if (clause.startsWith("preferring one ")) {
      job.preferring(clause.substring(15));
    } else if (clause.startsWith("on ")) {
      job.on(clause.substring(3));
    } else if (clause.startsWith("not before ")) {
      job.notBefore(Scene.NOW.plus(Duration.parse("PT" + clause.substring(11))));
    } else if (clause.startsWith("over by ")) {
      job.deadline(Scene.NOW.plus(Duration.parse("PT" + clause.substring(8))));
    } else if (clause.startsWith("after ")) {
      job.waitsFor(clause.substring(6));
    } else if (clause.startsWith("on-demand after ")) {
      job.capacity(CapacityType.RESERVED, CapacityType.ON_DEMAND)
          .waiting(CapacityType.RESERVED, Duration.parse("PT" + clause.substring(16)));
    } else if (match("(\\d+) elements", clause) != null) {
      job.array(Integer.parseInt(clause.split(" ")[0]));
    } else if (match("(\\d+) cores", clause) != null) {
      job.cpu(Integer.parseInt(clause.split(" ")[0]));
    } else {
      throw unknown(clause);
    }
  }

  private static GpuRequest gpu(String amount, String model) {
    String[] models = model.startsWith("GPU") ? new String[0] : new String[] {model};
    return amount.startsWith("0.")
        ? GpuRequest.fraction(Integer.parseInt(amount.substring(2)) * 100)
        : GpuRequest.whole(Integer.parseInt(amount), models);
  }

  private static Matcher match(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    return matcher.matches() ? matcher : null;
  }

  private static int number(Matcher of, int group) {
    return Integer.parseInt(of.group(group));
  }
}
