/** Reads and writes the price book. */
@NullMarked
package dev.fairlead.money.price.service;

import org.jspecify.annotations.NullMarked;
