/**
 * The whole service on in-memory stores and simulated clusters, in virtual time and on one thread.
 */
@NullMarked
package dev.fairlead.e2e;

import org.jspecify.annotations.NullMarked;
