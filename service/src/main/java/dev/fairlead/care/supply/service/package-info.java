/** Requests nodes from provisioners of pools, and returns empty nodes. */
@NullMarked
package dev.fairlead.care.supply.service;

import org.jspecify.annotations.NullMarked;
