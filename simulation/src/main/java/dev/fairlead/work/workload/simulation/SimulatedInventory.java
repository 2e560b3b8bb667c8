package dev.fairlead.work.workload.simulation;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.NodeNotes;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The nodes of a cluster by name. */
final class SimulatedInventory {
  private final SortedMap<String, SimulatedNode> nodes = new TreeMap<>();
  private final SortedSet<String> labelled = new TreeSet<>();
  private long revision = 1;
  private @Nullable InventoryView view;

  SimulatedInventory(List<SimulatedNode.Machine> machines, Identities identities) {
    for (SimulatedNode.Machine machine : machines) {
      nodes.put(machine.name(), new SimulatedNode(machine, identities.next()));
    }
  }

  @Nullable SimulatedNode find(String name) {
    return nodes.get(name);
  }

  /**
   * @throws IllegalArgumentException when no node has that name
   */
  SimulatedNode node(String name) {
    SimulatedNode node = nodes.get(name);
    if (node == null) {
      throw new IllegalArgumentException("no node " + name);
    }
    return node;
  }

  ActionOutcome keepOut(String name, boolean out) {
    SimulatedNode known = nodes.get(name);
    if (known != null) {
      known.keptOut(out);
      changed();
    }
    return new ActionOutcome.Done(new TreeSet<>());
  }

  ActionOutcome setLabelsAndTaints(String name, NodeLabelsAndTaints wanted) {
    SimulatedNode known = nodes.get(name);
    if (known != null) {
      known.labelsAndTaints(wanted);
      if (wanted.none()) {
        labelled.remove(name);
      } else {
        labelled.add(name);
      }
      changed();
    }
    return new ActionOutcome.Done(new TreeSet<>());
  }

  /** Whether a node has a label or taint of Fairlead. */
  Capabilities.Presence presence() {
    return labelled.isEmpty() ? Capabilities.Presence.NONE : Capabilities.Presence.PRESENT;
  }

  NodeNotes note(String name, SortedMap<String, @Nullable String> notes) {
    SimulatedNode known = nodes.get(name);
    return known == null
        ? new NodeNotes.Not("the cluster has no node " + name)
        : new NodeNotes.Shown(known.noted(notes));
  }

  void changed() {
    revision++;
    view = null;
  }

  InventoryView view() {
    if (view == null) {
      List<NodeReport> reports = new ArrayList<>(nodes.size());
      nodes.values().forEach(node -> reports.add(node.report()));
      view = new InventoryView(revision, reports);
    }
    return view;
  }
}
