/** Proxy that holds requests of model services while no replica is ready. */
@NullMarked
package dev.fairlead.work.serving.gate;

import org.jspecify.annotations.NullMarked;
