/** Follows the event log and feeds what lives on it. */
@NullMarked
package dev.fairlead.work.relay.service;

import org.jspecify.annotations.NullMarked;
