package dev.fairlead.people.secret.service;

import dev.fairlead.kernel.keyring.KeyRotation;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.transaction.Transactions;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Encrypts data keys under the current key once a minute, a bounded number in each pass. A data key
 * that cannot be decrypted is counted and skipped. A key without data keys can be removed.
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

  /** Position of the pass, null at its start. */
  private @Nullable UUID after;

  public KeyRotationLoop(Leases leases, KeyRotation rotation, Transactions transactions) {
    super("key-rotation", "background", IDLE, leases);
    this.rotation = rotation;
    this.transactions = transactions;
    this.look = Recurring.fromNowOn(leases.clock(), EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    if (!look.due()) {
      return false;
    }
    UUID from = after;
    KeyRotation.Step step = transactions.callFenced(lease, () -> rotation.rewrap(from, MOST));
    if (step.moved() > 0) {
      LOG.info("{} data keys are now encrypted under the current key", step.moved());
    }
    passOver(step.locked().size());
    after = step.next();
    if (after == null) {
      look.done();
    }
    return after != null;
  }

  @Override
  protected void forget() {
    after = null;
  }
}
