/** Webhooks of many projects and a receiver on the same machine. */
@NullMarked
package dev.fairlead.verify.load.webhook;

import org.jspecify.annotations.NullMarked;
