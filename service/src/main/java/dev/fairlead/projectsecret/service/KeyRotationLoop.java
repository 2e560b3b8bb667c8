package dev.fairlead.projectsecret.service;

import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.LeasedLoop;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.Recurring;
import dev.fairlead.secret.KeyRotation;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Once a minute: data keys under a former key get the present one, a bounded number at a turn. A
 * key that encrypts nothing any more can be taken away.
 */
@Component
public class KeyRotationLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(KeyRotationLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofMinutes(1);
  private static final int MOST = 100;
  private final KeyRotation rotation;
  private final Transactions transactions;
  private final Recurring look;

  public KeyRotationLoop(Leases leases, KeyRotation rotation, Transactions transactions) {
    super("key-rotation", "relay", IDLE, leases);
    this.rotation = rotation;
    this.transactions = transactions;
    this.look = Recurring.fromNowOn(leases.clock(), EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    if (!look.due()) {
      return false;
    }
    int moved = transactions.callFenced(lease, () -> rotation.rewrap(MOST));
    if (moved > 0) {
      LOG.info("{} data keys are under the present key now", moved);
    }
    if (moved < MOST) {
      look.done();
    }
    return moved >= MOST;
  }
}
