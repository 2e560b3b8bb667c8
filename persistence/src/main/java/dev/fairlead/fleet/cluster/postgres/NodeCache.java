package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.ActiveNodes;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.postgres.ChangeNotes;
import dev.fairlead.kernel.postgres.RowCache;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.UUID;
import org.springframework.context.annotation.Scope;
import org.springframework.stereotype.Component;

/** {@link ActiveNodes} cached in memory. */
@Component
@Scope("prototype")
class NodeCache implements ActiveNodes {
  private final RowCache<Node> cache;

  NodeCache(ChangeNotes notes, NodeTable table) {
    cache = new RowCache<>(notes, ChangeNotes.Kind.NODE, new Source(table), System::nanoTime);
  }

  @Override
  public List<Node> nodes() {
    return cache.rows();
  }

  @Override
  public long lostNotes() {
    return cache.lostNotes();
  }

  private record Source(NodeTable table) implements RowCache.Rows<Node> {
    @Override
    public List<RowCache.Version> versions(UUID after, int most) {
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
