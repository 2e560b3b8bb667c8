/** Webhooks: their configuration, and the loop that sends events to them. */
@NullMarked
package dev.fairlead.work.webhook.service;

import org.jspecify.annotations.NullMarked;
