/** Reads and writes the price book. */
@NullMarked
package dev.fairlead.price.service;

import org.jspecify.annotations.NullMarked;
