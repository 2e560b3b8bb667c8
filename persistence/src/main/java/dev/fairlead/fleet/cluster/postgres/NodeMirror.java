package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.ActiveNodes;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.postgres.ChangeNotes;
import dev.fairlead.kernel.postgres.RowMirror;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import org.springframework.context.annotation.Scope;
import org.springframework.stereotype.Component;

/** {@link ActiveNodes} cached in memory. */
@Component
@Scope("prototype")
class NodeMirror implements ActiveNodes {
  private final RowMirror<Node> mirror;

  NodeMirror(ChangeNotes notes, NodeTable table) {
    mirror = new RowMirror<>(notes, ChangeNotes.Kind.NODE, new Source(table), System::nanoTime);
  }

  @Override
  public List<Node> nodes() {
    return mirror.rows();
  }

  @Override
  public long lostNotes() {
    return mirror.lostNotes();
  }

  private record Source(NodeTable table) implements RowMirror.Rows<Node> {
    @Override
    public List<RowMirror.Version> versions(UUID after, int most) {
      return table.versions(after, most);
    }

    @Override
    public List<Node> read(Collection<UUID> ids, SortedMap<UUID, Node> known) {
      return table.inService(ids);
    }

    @Override
    public UUID id(Node node) {
      return node.id().value();
    }

    @Override
    public long version(Node node) {
      return node.version();
    }
  }
}
