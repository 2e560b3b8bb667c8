package dev.fairlead.work.workload.kubernetes.client;

import java.net.ConnectException;

/**
 * Controls whether requests are sent to a cluster. The gate is shut while the cluster is
 * unreachable. Then only the probe is sent and everything else fails immediately, so that neither
 * watches nor calls open connections to a failing API server.
 */
public final class Gate {
  private static final String PROBE = "/version";
  private volatile boolean open = true;

  public boolean isOpen() {
    return open;
  }

  public void open() {
    open = true;
  }

  public void shut() {
    open = false;
  }

  /**
   * @param path path of the request
   */
  boolean passes(String path) {
    return open || path.endsWith(PROBE);
  }

  /** Indicates that a request was never sent. */
  public static final class Closed extends ConnectException {
    private static final long serialVersionUID = 1L;

    Closed() {
      super("the cluster is unreachable, so only the probe is sent to it");
    }
  }
}
