package dev.fairlead.work.workload.kubernetes.client;

import dev.fairlead.kernel.keyring.Secret;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import org.jspecify.annotations.Nullable;

/**
 * Sets the token on each request. It replaces the client's own interceptors, which refresh tokens
 * from files.
 */
final class BearerToken implements Interceptor {
  private final @Nullable Secret token;

  BearerToken(@Nullable Secret token) {
    this.token = token;
  }

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    if (token != null) {
      builder.setHeader("Authorization", "Bearer " + token.reveal());
    }
  }
}
