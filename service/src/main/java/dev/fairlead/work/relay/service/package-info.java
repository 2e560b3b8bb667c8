/** Follows the event log and feeds its consumers. */
@NullMarked
package dev.fairlead.work.relay.service;

import org.jspecify.annotations.NullMarked;
