/** Asks suppliers of pools for nodes, and hands empty ones back. */
@NullMarked
package dev.fairlead.care.supply.service;

import org.jspecify.annotations.NullMarked;
