package dev.fairlead.work.workload.kubernetes.front;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A kind of object on a front cluster that Fairlead can run for users.
 *
 * @param <T> the objects
 */
public interface FrontForm<T extends HasMetadata> {
  /** Start of the names of its objects in {@link dev.fairlead.front.SeenJob}. */
  String prefix();

  Informable<T> all(KubernetesClient client);

  Resource<T> named(KubernetesClient client, String namespace, String name);

  T blank();

  /**
   * The result is null if the object is not meant for Fairlead, or could not come from an API
   * server.
   */
  @Nullable ShownJob shown(T object);

  /**
   * Returns whether the document is that object and asks Fairlead to run it, even if the object
   * cannot be translated.
   */
  boolean asks(T object, String uid);

  /** The result is null if it must be read. */
  @Nullable FrontRequest request(T object);

  /**
   * Reads other objects that the request needs. The result is null if they do not exist yet.
   *
   * @throws dev.fairlead.work.workload.kubernetes.call.CallFailure without a response
   */
  default @Nullable FrontRequest read(T object, KubernetesClient connection) {
    return request(object);
  }

  /**
   * Adds the status to a patch of the object.
   *
   * @param is the object as shown, null if it is not
   */
  void show(ObjectNode patch, FrontStatus status, @Nullable ShownJob is);

  /** Returns whether the patch is of the subresource for the status. */
  boolean patchesStatus();

  /**
   * Returns whether the cluster has such objects. May wait for a call.
   *
   * @throws dev.fairlead.work.workload.kubernetes.call.CallFailure without a response
   */
  boolean offered(Supplier<KubernetesClient> client);
}
