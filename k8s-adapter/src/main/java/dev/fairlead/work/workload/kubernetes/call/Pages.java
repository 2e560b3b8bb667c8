package dev.fairlead.work.workload.kubernetes.call;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Lists in pages that can be read regardless of the size of a tenant's objects. */
public final class Pages {
  /** Number of pods of the maximum size that fit into the longest answer. */
  public static final long MOST = 128;

  private Pages() {}

  /**
   * Returns every object of a list.
   *
   * @throws CallFailure if the cluster does not return a page
   */
  public static <T extends HasMetadata> List<T> all(
      ClusterCalls calls, Function<ListOptions, ? extends KubernetesResourceList<T>> list) {
    List<T> found = new ArrayList<>();
    each(calls, list, found::add);
    return found;
  }

  /**
   * Visits every object of a list, holding at most one page in memory.
   *
   * @throws CallFailure if the cluster does not return a page
   */
  public static <T extends HasMetadata> void each(
      ClusterCalls calls,
      Function<ListOptions, ? extends KubernetesResourceList<T>> list,
      Consumer<T> found) {
    String from = "";
    do {
      ListOptions page =
          new ListOptionsBuilder()
              .withLimit(MOST)
              .withContinue(from.isEmpty() ? null : from)
              .build();
      KubernetesResourceList<T> answer = calls.read(() -> list.apply(page));
      answer.getItems().forEach(found);
      String more = answer.getMetadata() == null ? null : answer.getMetadata().getContinue();
      from = more == null ? "" : more;
    } while (!from.isEmpty());
  }
}
