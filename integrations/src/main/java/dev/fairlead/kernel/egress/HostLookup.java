package dev.fairlead.kernel.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Resolves a host name or a literal address. */
@FunctionalInterface
public interface HostLookup {
  List<InetAddress> addresses(String host) throws UnknownHostException;

  /** Returns the system's resolver, limited to this many seconds. */
  static HostLookup system(long timeoutSeconds) {
    return host -> {
      CompletableFuture<List<InetAddress>> answer = new CompletableFuture<>();
      Thread.ofVirtual()
          .name("resolve")
          .start(() -> {
            try {
              answer.complete(List.of(InetAddress.getAllByName(host)));
            } catch (Throwable e) {
              answer.completeExceptionally(e);
            }
          });
      try {
        return answer.get(timeoutSeconds, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw unknown(host, e);
      } catch (ExecutionException | TimeoutException e) {
        throw unknown(host, e);
      }
    };
  }

  private static UnknownHostException unknown(String host, Exception cause) {
    UnknownHostException unknown = new UnknownHostException(host);
    unknown.initCause(cause);
    return unknown;
  }
}
