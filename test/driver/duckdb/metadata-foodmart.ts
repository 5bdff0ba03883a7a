import type { Connection } from 'recurve';

/** A part of FoodMart, written anew from its published table and column names, with every kind of constraint. */
const script = `
  CREATE SCHEMA hr;
  CREATE SEQUENCE payment_number;
  CREATE TABLE region (
    region_id INTEGER PRIMARY KEY,
    sales_city VARCHAR,
    sales_country VARCHAR NOT NULL DEFAULT 'USA',
    UNIQUE (sales_country, sales_city)
  );
  CREATE TABLE store (
    store_id INTEGER PRIMARY KEY,
    region_id INTEGER NOT NULL REFERENCES region (region_id),
    store_name VARCHAR NOT NULL UNIQUE,
    store_sqft INTEGER CHECK (store_sqft > 0),
    opened DATE
  );
  CREATE TABLE promotion (
    start_date TIMESTAMP,
    promotion_id INTEGER,
    media DECIMAL(10, 2),
    PRIMARY KEY (promotion_id, start_date)
  );
  CREATE TABLE sales_fact_1997 (
    store_id INTEGER REFERENCES store (store_id),
    begun TIMESTAMP,
    promotion INTEGER,
    store_sales DECIMAL(10, 4) NOT NULL,
    store_cost DECIMAL(10, 4) NOT NULL,
    unit_sales DOUBLE,
    profit DECIMAL(12, 4) GENERATED ALWAYS AS (store_sales - store_cost),
    FOREIGN KEY (promotion, begun) REFERENCES promotion (promotion_id, start_date),
    CHECK (store_cost <= store_sales)
  );
  CREATE TABLE hr.salary (
    payment_id BIGINT DEFAULT nextval('payment_number'),
    "pay_date" DATE,
    salary_paid DECIMAL(10, 4)
  );
  CREATE VIEW big_store AS SELECT store_id, store_name FROM store WHERE store_sqft > 30000;
  CREATE TEMPORARY TABLE basket (product_id INTEGER PRIMARY KEY);
  COMMENT ON COLUMN store.store_sqft IS 'Square feet';
  ATTACH ':memory:' AS archive;
  CREATE TABLE archive.sales_fact_1996 (store_id INTEGER);
`;

/** Makes the tables in the connection's database, which must be named `memory`. */
export async function createFoodmart(connection: Connection): Promise<void> {
  await connection.execute(script);
}
