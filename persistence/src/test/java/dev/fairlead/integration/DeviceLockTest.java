package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.care.health.device.DeviceStore;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Monitors of two clusters that concurrently report the same device. */
class DeviceLockTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final DeviceStore devices = stores.devices();

  private boolean entersAtOnce() {
    return stores
        .transactions()
        .forAllTenants(() -> {
          int _ = stores.jdbc().sql("SET LOCAL lock_timeout = '20ms'").update();
          devices.enter();
          return true;
        });
  }

  /** Fails when two transactions read a device, and each writes its own result of the same row. */
  @Test
  void oneTransactionAtATimeJudgesDevices() {
    int _ =
        stores
            .transactions()
            .forAllTenants(() -> {
              devices.enter();
              assertThatThrownBy(() -> CompletableFuture.supplyAsync(this::entersAtOnce).join())
                  .hasMessageContaining("lock timeout");
              return 0;
            });

    assertThat(entersAtOnce()).isTrue();
  }
}
