/** Requests nodes from provisioners of pools, and returns empty ones. */
@NullMarked
package dev.fairlead.care.supply.service;

import org.jspecify.annotations.NullMarked;
