package dev.fairlead.bench.cases;

import dev.fairlead.placement.routing.EvictionOutlook;
import dev.fairlead.placement.routing.Fit;
import dev.fairlead.placement.routing.FlavorChoice;
import dev.fairlead.placement.routing.FlavorSearch;
import dev.fairlead.placement.routing.Standing;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Flavors of a whole job in its queue, group after group.
 *
 * @param flavors by task entry, then resource
 * @param use base units of the whole job by cell
 * @param evicting the cells that fit only after evictions
 */
record FlavorAssignment(
    Standing standing,
    SortedMap<String, SortedMap<String, FlavorUse>> flavors,
    SortedMap<QuotaCell, Long> use,
    SortedMap<QuotaCell, Fit> evicting) {

  /** The flavor of one resource, and how it stands. */
  record FlavorUse(String flavor, Fit fit) {}

  static FlavorSearch search(Value queue, boolean fairSharing) {
    Value search = queue.get("flavor_search");
    boolean borrowing =
        !queue.get("preemption").get("while_borrowing").get("policy").text("never").equals("never");
    boolean reclaims =
        !queue.get("preemption").get("reclaim_in_tree").text("never").equals("never");
    boolean evictsOwn = !queue.get("preemption").get("within_queue").text("never").equals("never");
    boolean nextAtBorrowing = search.get("when_borrowing_fits").text("stop").equals("try-next");
    return new FlavorSearch(
        !nextAtBorrowing,
        search.get("when_preemption_fits").text("try-next").equals("stop"),
        search.get("prefer").text("borrow").equals("preempt"),
        borrowing || fairSharing && (reclaims || evictsOwn));
  }

  static FlavorAssignment of(
      QuotaCase quota,
      Value scenario,
      Value queue,
      List<TaskGroup> groups,
      EvictionOutlook outlook) {
    boolean fair = scenario.get("settings").get("fair_sharing").get("enabled").flag(false);
    FlavorChoice choice =
        new FlavorChoice(
            quota.tree(), quota.id(queue.get("name").text()), search(queue, fair), outlook);
    FlavorAssignment all =
        new FlavorAssignment(
            new Standing(Fit.FITS, 0), new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
    for (TaskGroup group : groups) {
      all = all.with(choice, scenario, queue, group);
    }
    return all;
  }

  private FlavorAssignment with(FlavorChoice choice, Value scenario, Value queue, TaskGroup group) {
    SortedMap<String, Long> asked = group.asked(covers(queue, "pods"));
    SortedMap<QuotaCell, Long> before = new TreeMap<>(use);
    Standing worst = standing;
    SortedMap<String, Long> open = new TreeMap<>(asked);
    for (Value row : queue.get("flavor_groups").list()) {
      SortedMap<String, Long> mine = new TreeMap<>(asked);
      mine.keySet().retainAll(row.get("resources").texts());
      open.keySet().removeAll(mine.keySet());
      if (!mine.isEmpty()) {
        FlavorChoice.Pick pick = choice.pick(allowed(scenario, queue, row, group), mine, before);
        worst = worst.worse(pick.standing());
        note(pick, group, mine, covers(queue, "pods"));
      }
    }
    boolean uncovered = open.values().stream().anyMatch(amount -> amount > 0);
    return new FlavorAssignment(
        uncovered ? new Standing(Fit.DOES_NOT_FIT, 0) : worst, flavors, use, evicting);
  }

  private void note(
      FlavorChoice.Pick pick, TaskGroup group, SortedMap<String, Long> mine, boolean pods) {
    Flavor flavor = pick.flavor();
    if (flavor == null) {
      return;
    }
    for (int i = 0; i < group.entries().size(); i++) {
      String name = group.entries().get(i).get("name").text();
      for (Map.Entry<String, Long> asked : group.asked(i, pods).entrySet()) {
        Fit fit = pick.fits().get(asked.getKey());
        if (fit != null && mine.containsKey(asked.getKey())) {
          QuotaCell cell = new QuotaCell(flavor, asked.getKey());
          use.merge(cell, asked.getValue(), Long::sum);
          flavors
              .computeIfAbsent(name, n -> new TreeMap<>())
              .put(asked.getKey(), new FlavorUse(flavor.model(), fit));
          if (fit != Fit.FITS) {
            evicting.put(cell, fit);
          }
        }
      }
    }
  }

  private static boolean covers(Value queue, String resource) {
    return queue.get("flavor_groups").list().stream()
        .anyMatch(row -> row.get("resources").texts().contains(resource));
  }

  /** The flavors of a row that exist and that every entry of the group can run on. */
  private static List<Flavor> allowed(Value scenario, Value queue, Value row, TaskGroup group) {
    List<Flavor> allowed = new ArrayList<>();
    SortedMap<String, String> known = new TreeMap<>();
    List<Value> flavors = scenario.get("cluster").get("flavors").list();
    for (String name : row.get("flavors").texts()) {
      for (Value flavor : flavors) {
        if (flavor.get("name").text().equals(name)) {
          known.putAll(NodeRules.labels(flavor.get("node_labels")));
        }
      }
    }
    for (String name : row.get("flavors").texts()) {
      for (Value flavor : flavors) {
        if (flavor.get("name").text().equals(name)
            && group.entries().stream()
                .allMatch(task ->
                    runsOn(task, flavor, known) && topologyFits(scenario, queue, task, flavor))) {
          allowed.add(new Flavor(name, CapacityType.RESERVED));
        }
      }
    }
    return allowed;
  }

  /**
   * A key that no flavor of the row has says nothing about flavors; of another's key the lack
   * counts.
   */
  private static boolean runsOn(Value task, Value flavor, SortedMap<String, String> known) {
    List<Value> tolerations = new ArrayList<>(task.get("tolerations").list());
    tolerations.addAll(flavor.get("tolerations").list());
    SortedMap<String, String> labels = new TreeMap<>(known);
    labels.replaceAll((key, value) -> "");
    labels.putAll(NodeRules.labels(flavor.get("node_labels")));
    return NodeRules.bears(flavor.get("taints").list(), tolerations)
        && NodeRules.wants(task, labels, true);
  }

  /**
   * A task that names levels needs a flavor with them; one that names none is kept off flavors with
   * a topology where its queue has others.
   */
  private static boolean topologyFits(Value scenario, Value queue, Value task, Value flavor) {
    Value asked = task.get("topology");
    boolean named =
        asked.fields().keySet().stream()
            .anyMatch(k -> !k.equals("co_place_group") && !k.equals("implied"));
    List<String> with = new ArrayList<>();
    for (Value row : scenario.get("cluster").get("flavors").list()) {
      if (row.get("topology").present()) {
        with.add(row.get("name").text());
      }
    }
    boolean onlyWith =
        queue.get("flavor_groups").list().stream()
            .allMatch(row -> with.containsAll(row.get("flavors").texts()));
    if (!named || scenario.get("cluster").get("nodes").list().isEmpty() && with.isEmpty()) {
      return !flavor.get("topology").present() || onlyWith;
    }
    return !flavor.get("topology").present() || levels(scenario, flavor).containsAll(levels(asked));
  }

  private static List<String> levels(Value scenario, Value flavor) {
    for (Value row : scenario.get("cluster").get("topologies").list()) {
      if (row.get("name").text().equals(flavor.get("topology").text())) {
        return row.get("levels").texts();
      }
    }
    return List.of();
  }

  private static List<String> levels(Value asked) {
    List<String> named = new ArrayList<>();
    for (String field : List.of("required_level", "preferred_level", "slice_level")) {
      if (asked.get(field).present()) {
        named.add(asked.get(field).text());
      }
    }
    return named;
  }
}
