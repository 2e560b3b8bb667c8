package dev.fairlead.work.workload.kubernetes.call;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.ResourceNotFoundException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.net.HttpURLConnection;
import org.jspecify.annotations.Nullable;

/** Reads objects by their names. */
public final class ByName {
  private ByName() {}

  /**
   * The object; null when the API server itself says that there is none. A proxy in front of it may
   * answer 404 to anything.
   *
   * @throws KubernetesClientException when it was answered with another error, or by another
   */
  public static <T> @Nullable T find(Resource<T> named) {
    try {
      return named.require();
    } catch (ResourceNotFoundException any) {
      // what the client throws for every error
      if (!(any.getCause() instanceof KubernetesClientException answer)) {
        throw any;
      }
      if (answer.getCode() == HttpURLConnection.HTTP_NOT_FOUND && CallFailure.own(answer)) {
        return null;
      }
      throw answer;
    }
  }
}
