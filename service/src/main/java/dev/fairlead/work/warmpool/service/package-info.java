/** Settings, refill and use of warm pools. */
@NullMarked
package dev.fairlead.work.warmpool.service;

import org.jspecify.annotations.NullMarked;
