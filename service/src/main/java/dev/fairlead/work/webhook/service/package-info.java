/** Configuration of webhooks, and the loop that sends events. */
@NullMarked
package dev.fairlead.work.webhook.service;

import org.jspecify.annotations.NullMarked;
