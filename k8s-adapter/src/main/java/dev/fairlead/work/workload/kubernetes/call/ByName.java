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
   * Returns the object, or null if the API server itself reports that it does not exist. A proxy in
   * front of it may return 404 for any request.
   *
   * @throws KubernetesClientException for another error, or a response from another server
   */
  public static <T> @Nullable T find(Resource<T> named) {
    try {
      return named.require();
    } catch (ResourceNotFoundException any) { // the client throws this for every error
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
