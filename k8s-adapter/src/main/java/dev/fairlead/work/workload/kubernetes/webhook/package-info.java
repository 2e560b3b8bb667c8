/** Calls to the addresses of webhooks. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.webhook;

import org.jspecify.annotations.NullMarked;
