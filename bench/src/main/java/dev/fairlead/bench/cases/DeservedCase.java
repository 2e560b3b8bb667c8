package dev.fairlead.bench.cases;

import dev.fairlead.placement.deserved.Account;
import dev.fairlead.placement.deserved.Machine;
import dev.fairlead.placement.deserved.Part;
import dev.fairlead.placement.deserved.Phases;
import dev.fairlead.placement.deserved.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The world of a case of the {@code kai-*} families; amounts are thousandths. */
final class DeservedCase {
  private static final String GPU = "gpu";
  private static final String TASKS = "tasks";
  private static final double WHOLE = 1000;

  private final SortedMap<String, Machine> machines = new TreeMap<>();
  private final SortedMap<String, Work> works = new TreeMap<>();
  private final SortedMap<String, String> jobOf = new TreeMap<>();
  private final SortedSet<String> ended = new TreeSet<>();
  private final SortedMap<String, Long> total = new TreeMap<>();
  private final Phases phases;
  private long leastMemory = Long.MAX_VALUE;

  DeservedCase(Value scenario) {
    Claims claims = new Claims(scenario.get("cluster"));
    for (Value node : scenario.get("cluster").get("nodes").list()) {
      machine(node, claims);
    }
    for (Value job : scenario.get("jobs").list()) {
      work(job, claims);
    }
    List<Account> accounts = new ArrayList<>();
    scenario.get("queues").list().forEach(queue -> accounts.add(new Account(rights(queue))));
    phases = new Phases(machines.values(), works.values(), accounts, total, WHOLE);
  }

  Phases phases() {
    return phases;
  }

  SortedMap<String, Work> works() {
    return works;
  }

  /** The job of a task. */
  @Nullable Work workOf(String task) {
    String job = jobOf.get(task);
    return job == null ? null : works.get(job);
  }

  /** Tasks that neither run nor wait. */
  SortedSet<String> ended() {
    return ended;
  }

  private void machine(Value node, Claims claims) {
    SortedMap<String, Long> free = new TreeMap<>();
    free.put("cpu", QuotaCase.amount(node.get("cpu").number(20000)));
    free.put("memory", QuotaCase.amount(node.get("memory").number(20e9)));
    free.put(TASKS, QuotaCase.amount(node.get("max_tasks").count(500)));
    free.putAll(claims.devicesOf(node.get("name").text()));
    long slices = 0;
    for (Map.Entry<String, Value> slots : node.get("mig_slots").fields().entrySet()) {
      free.put(slots.getKey(), QuotaCase.amount(slots.getValue().count(0)));
      slices += slots.getValue().count(0) * sliceSize(slots.getKey());
    }
    int gpus = node.get("gpus").count(0);
    total.merge(GPU, QuotaCase.amount(gpus + (double) slices), Long::sum);
    total.merge("cpu", free.getOrDefault("cpu", 0L), Long::sum);
    total.merge("memory", free.getOrDefault("memory", 0L), Long::sum);
    boolean usable = node.get("ready").flag(true) && !node.get("cordoned").flag(false);
    leastMemory = Math.min(leastMemory, node.get("gpu_memory_mib").count(100));
    SortedMap<String, String> labels = NodeRules.labels(node.get("labels"));
    labels.put("name", node.get("name").text());
    machines.put(
        node.get("name").text(),
        new Machine(
            node.get("name").text(),
            labels,
            usable ? free : new TreeMap<>(),
            gpus,
            node.get("gpu_memory_mib").count(100),
            !node.get("mig_mode").present() || node.get("mig_mode").text().isEmpty()));
  }

  /** Compute slices of a profile: the 2 of {@code mig-2g.10gb}. */
  private static long sliceSize(String profile) {
    int at = profile.indexOf("mig-");
    return at < 0 ? 0 : Character.digit(profile.charAt(at + 4), 10);
  }

  private void work(Value job, Claims claims) {
    List<Part> parts = new ArrayList<>();
    List<Value> rows = job.get("tasks").list();
    for (Value task : rows) {
      String state =
          task.get("state")
              .oneOf("PENDING", "PENDING", "RUNNING", "STARTING", "RESERVED", "STOPPING", "FAILED");
      if (List.of("STOPPING", "FAILED").contains(state)) {
        ended.add(task.get("name").text());
      } else {
        parts.add(part(task, claims));
      }
      jobOf.put(task.get("name").text(), job.get("name").text());
    }
    Work work =
        new Work(
            new Work.Facts(
                job.get("name").text(),
                job.get("queue").text(""),
                job.get("priority").whole(0),
                job.get("preemptible").flag(false),
                job.get("age_s").number(0)),
            parts,
            least(job),
            near(job));
    works.put(job.get("name").text(), work);
    seat(rows, parts, work);
  }

  private void seat(List<Value> rows, List<Part> parts, Work work) {
    for (Value task : rows) {
      for (Part part : parts) {
        boolean placed = List.of("RUNNING", "STARTING").contains(task.get("state").text("PENDING"));
        if (part.name().equals(task.get("name").text()) && placed) {
          Machine machine = machines.get(task.get("node").text(""));
          if (machine != null && machine.seat(part)) {
            work.runs(part, machine);
          }
        }
      }
    }
  }

  private Part part(Value task, Claims claims) {
    SortedMap<String, Long> needs = new TreeMap<>();
    task.get("requests")
        .fields()
        .forEach((resource, amount) -> needs.put(resource, QuotaCase.amount(amount.number())));
    Long whole = needs.remove(GPU);
    SortedMap<String, Long> charged = new TreeMap<>(needs);
    needs.put(TASKS, QuotaCase.amount(1));
    double gpus = whole == null ? 0 : whole / WHOLE;
    long milli = 1000;
    int devices = (int) gpus;
    if (task.get("gpu_fraction").present()) {
      milli = Math.round(task.get("gpu_fraction").number() * WHOLE);
      devices = task.get("gpu_devices").count(1);
    } else if (task.get("gpu_memory_mib").present()) {
      milli = -task.get("gpu_memory_mib").count(0);
      devices = task.get("gpu_devices").count(1);
    }
    double share = milli >= 0 ? milli / WHOLE : -milli / (double) leastMemory;
    double slices = 0;
    for (Map.Entry<String, Value> mig : task.get("mig").fields().entrySet()) {
      needs.put(mig.getKey(), QuotaCase.amount(mig.getValue().count(0)));
      slices += mig.getValue().count(0) * (double) sliceSize(mig.getKey());
    }
    if (task.get("legacy_mig").flag(false)) {
      needs.put("no node has this", 1L);
    }
    charged.put(GPU, QuotaCase.amount(devices * share + slices));
    return new Part(
        task.get("name").text(),
        task.get("group").text(""),
        task.get("task_priority").whole(0),
        needs,
        devices,
        milli,
        charged,
        claims.of(task));
  }

  private static SortedMap<String, Integer> least(Value job) {
    SortedMap<String, Integer> least = new TreeMap<>();
    for (Value group : job.get("sub_groups").list()) {
      if (group.get("kind").text().equals(TASKS)) {
        least.put(group.get("name").text(), group.get("min_tasks").count(1));
      }
    }
    boolean grouped =
        job.get("tasks").list().stream().anyMatch(t -> !t.get("group").text("").isEmpty());
    if (least.isEmpty() || !grouped) {
      least.clear();
      least.put("", job.get("gang_min").count(1));
    }
    return least;
  }

  private static Work.@Nullable Near near(Value job) {
    for (Value group : job.get("sub_groups").list()) {
      Value topology = group.get("topology");
      if (topology.present()) {
        return new Work.Near(
            topology.get("required_level").textOrNull(),
            topology.get("preferred_level").textOrNull());
      }
    }
    return null;
  }

  private static Account.Rights rights(Value queue) {
    SortedMap<String, Long> nominal = new TreeMap<>();
    SortedMap<String, Long> limit = new TreeMap<>();
    SortedMap<String, Double> weight = new TreeMap<>();
    for (Value quota : queue.get("quotas").list()) {
      String resource = quota.get("resource").text();
      if (quota.get("nominal").present()) {
        nominal.put(resource, QuotaCase.amount(quota.get("nominal").number()));
      }
      if (quota.get("limit").present()) {
        limit.put(resource, QuotaCase.amount(quota.get("limit").number()));
      }
      weight.put(resource, quota.get("over_quota_weight").number(1));
    }
    return new Account.Rights(
        queue.get("name").text(),
        queue.get("parent").textOrNull(),
        queue.get("created_order").whole(0),
        queue.get("priority").whole(100),
        nominal,
        limit,
        weight);
  }
}
